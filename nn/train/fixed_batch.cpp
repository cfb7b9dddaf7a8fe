#include "nn/train/fixed_batch.h"

#include <algorithm>
#include <numeric>

#include "kernels/cross_entropy.h"
#include "kernels/embedding.h"

namespace xf::nn {

namespace {

using Kind = FixedBatch::Kind;

int64_t elements_of(const BatchSize& c, Kind kind) {
  const int64_t of_target = kind == Kind::pairs ? 6 : 4;
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
  // Each half of the tensor, and `fill` up to half of `count`.
  void write_halves(const Tensor& tensor, int64_t count, int32_t fill) {
    const int64_t half = tensor.numel() / 2;
    for (const int64_t begin : {int64_t{0}, half})
      write(tensor.slice_rows(begin, begin + half), count / 2, fill);
  }
  // PackedBatch::token_at_place and place_of_token, of so many tokens among `count`.
  void write_places(int64_t tokens, int64_t count) {
    const int64_t half = tokens / 2, room = count / 2;
    for (const int64_t first : {int64_t{0}, half}) {
      write_numbers(first, half);
      write({}, room - half, kernels::kEmptyPlace);
    }
    for (const int64_t first : {int64_t{0}, room}) write_numbers(first, half);
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

FixedBatch::FixedBatch(Device device, const BatchSize& capacity, Kind kind)
    : capacity_(capacity),
      kind_(kind),
      all_(Tensor::zeros({elements_of(capacity, kind)}, DType::i32, device)),
      upload_(device, all_.bytes()) {
  XF_CHECK(kind != Kind::pairs || capacity.target_tokens % 2 == 0,
           "batch: pairs need an even capacity of target tokens, got {}", capacity.target_tokens);
  int64_t begin = 0;
  const auto next = [&](int64_t count) {
    begin += count;
    return all_.slice_rows(begin - count, begin);
  };
  for (Tensor* tensor : {&batch_.source_ids, &batch_.source_positions, &batch_.source_order}) {
    *tensor = next(capacity.source_tokens);
  }
  for (Tensor* tensor :
       {&batch_.target_in, &batch_.target_out, &batch_.target_positions, &batch_.target_order}) {
    *tensor = next(capacity.target_tokens);
  }
  for (Tensor* tensor : {&batch_.source_offsets, &batch_.target_offsets})
    *tensor = next(capacity.sentences + 1);
  if (kind == Kind::pairs) {
    for (Tensor* tensor : {&batch_.token_at_place, &batch_.place_of_token})
      *tensor = next(capacity.target_tokens);
  }
}

void FixedBatch::load(const PackedBatch& batch) {
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
  const int32_t ignored = kernels::CrossEntropy().ignore_id;
  if (kind_ == Kind::pairs) {
    writer.write_halves(batch.target_out, capacity_.target_tokens, ignored);
  } else {
    writer.write(batch.target_out, capacity_.target_tokens, ignored);
  }
  writer.write(batch.target_positions, capacity_.target_tokens, 0);
  writer.write_order(batch.target_order, capacity_.target_tokens);
  writer.write(batch.source_offsets, capacity_.sentences + 1, static_cast<int32_t>(batch.source_tokens));
  writer.write(batch.target_offsets, capacity_.sentences + 1, static_cast<int32_t>(batch.target_tokens));
  if (kind_ == Kind::pairs) writer.write_places(batch.target_tokens, capacity_.target_tokens);
  upload_.send(all_.raw());
  batch_.sentences = batch.sentences;
  batch_.source_tokens = batch.source_tokens;
  batch_.target_tokens = batch.target_tokens;
  batch_.longest_source = batch.longest_source;
  batch_.longest_target = batch.longest_target;
}

}  // namespace xf::nn
