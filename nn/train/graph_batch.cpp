#include "nn/train/graph_batch.h"

#include <algorithm>
#include <numeric>

#include "kernels/cross_entropy.h"
#include "kernels/embedding.h"

namespace xf::nn {

namespace {

int64_t elements_of(const BatchSize& c, int64_t readings) {
  const int64_t of_target = readings > 1 ? 6 : 4;
  return 3 * c.source_tokens + of_target * c.target_tokens + 2 * (c.sentences + 1);
}

// Writes one array after the other into the buffer that goes to the device.
class Writer {
 public:
  explicit Writer(void* to) : to_(static_cast<int32_t*>(to)) {}

  // The tensor's elements, none where the batch has no such side, and `fill` up to `count`.
  void write(const Tensor& tensor, int64_t count, int32_t fill) {
    const int64_t numel = tensor.defined() ? tensor.numel() : 0;
    if (numel > 0) to_ = std::copy_n(tensor.data<int32_t>(), numel, to_);
    to_ = std::fill_n(to_, count - numel, fill);
  }
  // Token numbers in the order of their ids; spare tokens, which have none, come last.
  void write_order(const Tensor& order, int64_t count) {
    const int64_t numel = order.defined() ? order.numel() : 0;
    write(order, numel, 0);
    write_numbers(numel, count - numel);
  }
  // The elements of each reading, and `fill` up to its share of `count`.
  void write_readings(const Tensor& tensor, int64_t readings, int64_t count, int32_t fill) {
    const int64_t numel = tensor.numel() / readings;
    for (int64_t k = 0; k < readings; ++k)
      write(tensor.slice_rows(k * numel, (k + 1) * numel), count / readings, fill);
  }
  // PackedBatch::loss_row_to_token and token_to_loss_row, of so many tokens in `readings` among
  // `count`.
  void write_loss_rows(int64_t tokens, int64_t readings, int64_t count) {
    const int64_t numel = tokens / readings, room = count / readings;
    for (int64_t k = 0; k < readings; ++k) {
      write_numbers(k * numel, numel);
      write({}, room - numel, kernels::kEmptyPlace);
    }
    for (int64_t k = 0; k < readings; ++k) write_numbers(k * room, numel);
    write({}, count - tokens, kernels::kEmptyPlace);
  }

 private:
  void write_numbers(int64_t first, int64_t count) {
    std::iota(to_, to_ + count, static_cast<int32_t>(first));
    to_ += count;
  }

  int32_t* to_;
};

}  // namespace

GraphBatch::GraphBatch(Device device, const BatchSize& capacity, int64_t readings)
    : capacity_(capacity.repeated(readings)),
      readings_(readings),
      all_(Tensor::zeros({elements_of(capacity_, readings)}, DType::i32, device)),
      upload_(device, all_.bytes()) {
  int64_t begin = 0;
  const auto next = [&](int64_t count) {
    begin += count;
    return all_.slice_rows(begin - count, begin);
  };
  for (Tensor* tensor : {&batch_.source_ids, &batch_.source_positions, &batch_.source_order}) {
    *tensor = next(capacity_.source_tokens);
  }
  for (Tensor* tensor :
       {&batch_.target_in, &batch_.target_out, &batch_.target_positions, &batch_.target_order}) {
    *tensor = next(capacity_.target_tokens);
  }
  for (Tensor* tensor : {&batch_.source_offsets, &batch_.target_offsets})
    *tensor = next(capacity_.sentences + 1);
  if (readings > 1) {
    for (Tensor* tensor : {&batch_.loss_row_to_token, &batch_.token_to_loss_row})
      *tensor = next(capacity_.target_tokens);
  }
}

void GraphBatch::load(const PackedBatch& batch) {
  XF_CHECK(batch.source_tokens <= capacity_.source_tokens && batch.target_tokens <= capacity_.target_tokens &&
               batch.sentences <= capacity_.sentences,
           "batch: {} source tokens, {} target tokens, {} sentences are over the capacity {}, {}, {}",
           batch.source_tokens, batch.target_tokens, batch.sentences, capacity_.source_tokens,
           capacity_.target_tokens, capacity_.sentences);
  Writer writer(upload_.buffer());
  writer.write(batch.source_ids, capacity_.source_tokens, kernels::kEmptyPlace);
  writer.write(batch.source_positions, capacity_.source_tokens, 0);
  writer.write_order(batch.source_order, capacity_.source_tokens);
  writer.write(batch.target_in, capacity_.target_tokens, kernels::kEmptyPlace);
  writer.write_readings(batch.target_out, readings_, capacity_.target_tokens,
                        kernels::CrossEntropy().ignore_id);
  writer.write(batch.target_positions, capacity_.target_tokens, 0);
  writer.write_order(batch.target_order, capacity_.target_tokens);
  writer.write(batch.source_offsets, capacity_.sentences + 1, static_cast<int32_t>(batch.source_tokens));
  writer.write(batch.target_offsets, capacity_.sentences + 1, static_cast<int32_t>(batch.target_tokens));
  if (readings_ > 1) writer.write_loss_rows(batch.target_tokens, readings_, capacity_.target_tokens);
  upload_.send(all_.raw());
  batch_.sentences = batch.sentences;
  batch_.source_tokens = batch.source_tokens;
  batch_.target_tokens = batch.target_tokens;
  batch_.longest_source = batch.longest_source;
  batch_.longest_target = batch.longest_target;
}

}  // namespace xf::nn
