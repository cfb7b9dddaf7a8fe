#include "nn/train/word_dropout.h"

#include <algorithm>
#include <array>

#include "kernels/dropout.h"

namespace xf::nn {
namespace {

// Blocks' sites are numbered from 0, shuffles have the last ones (data/bucket_batches.cpp).
constexpr uint32_t kSourceSite = 0xFFFFFFF7, kTargetSite = 0xFFFFFFF8;

struct Side {
  const Tensor &ids, &offsets;
  float rate;
  int32_t unknown;
  uint32_t site;
  bool last_stays;  // of a sentence: </s>; else its first token, <s>
};

// Overwrites words, of which the first one is number `begin` of the update.
std::vector<int32_t> read_ids(const Side& side, uint64_t seed, int64_t update, int64_t begin) {
  const std::array counter{static_cast<int32_t>(update), static_cast<int32_t>(begin)};
  const kernels::DropoutArgs dropout =
      kernels::dropout_args({side.rate, seed, side.site, Tensor::view(counter.data(), {2})});
  std::vector<int32_t> ids = side.ids.to_vector<int32_t>();
  const std::vector<int32_t> ends = side.offsets.to_vector<int32_t>();
  for (size_t b = 0; b + 1 < ends.size(); ++b) {
    const int64_t stays = side.last_stays ? ends[b + 1] - 1 : ends[b];
    for (int64_t n = ends[b]; n < ends[b + 1]; ++n) {
      if (n != stays && dropout.words(0, static_cast<uint32_t>(n)).x[0] < dropout.threshold)
        ids[static_cast<size_t>(n)] = side.unknown;
    }
  }
  return ids;
}

}  // namespace

PackedBatch drop_words(const PackedBatch& batch, const WordDropout& dropout, uint64_t seed,
                       const BatchPlace& place) {
  PackedBatch read = batch;
  if (dropout.source > 0 && batch.source_ids.defined()) {
    const Side side{batch.source_ids,       batch.source_offsets, dropout.source,
                    dropout.source_unknown, kSourceSite,          true};
    const std::vector<int32_t> ids = read_ids(side, seed, place.update, place.source_tokens);
    read.source_ids = Tensor::from(ids);
    read.source_order = order_by_id(ids);
  }
  if (dropout.target > 0) {
    const Side side{batch.target_in,        batch.target_offsets, dropout.target,
                    dropout.target_unknown, kTargetSite,          false};
    const std::vector<int32_t> ids = read_ids(side, seed, place.update, place.target_tokens);
    read.target_in = Tensor::from(ids);
    read.target_order = order_by_id(ids);
  }
  return read;
}

}  // namespace xf::nn
