// Small packed batches and models for tests.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/packed_batch.h"
#include "core/philox.h"

namespace xf::tests {

using Ids = std::vector<int32_t>;

inline Tensor positions_in(const Ids& offsets) {
  Ids positions;
  for (size_t b = 0; b + 1 < offsets.size(); ++b) {
    for (int32_t p = 0; p < offsets[b + 1] - offsets[b]; ++p) positions.push_back(p);
  }
  return Tensor::from(positions);
}

inline int64_t longest_of(const Ids& offsets) {
  int64_t longest = 0;
  for (size_t b = 0; b + 1 < offsets.size(); ++b)
    longest = std::max<int64_t>(longest, offsets[b + 1] - offsets[b]);
  return longest;
}

inline PackedBatch packed_batch(const Ids& source, const Ids& source_offsets, const Ids& target_in,
                                const Ids& target_out, const Ids& target_offsets) {
  PackedBatch batch;
  batch.source_ids = Tensor::from(source);
  batch.source_offsets = Tensor::from(source_offsets);
  batch.source_positions = positions_in(source_offsets);
  batch.source_order = order_by_id(source);
  batch.target_in = Tensor::from(target_in);
  batch.target_out = Tensor::from(target_out);
  batch.target_offsets = Tensor::from(target_offsets);
  batch.target_positions = positions_in(target_offsets);
  batch.target_order = order_by_id(target_in);
  batch.sentences = static_cast<int64_t>(source_offsets.size()) - 1;
  batch.source_tokens = static_cast<int64_t>(source.size());
  batch.target_tokens = static_cast<int64_t>(target_in.size());
  batch.longest_source = longest_of(source_offsets);
  batch.longest_target = longest_of(target_offsets);
  return batch;
}

// Random ids in 3..vocabulary-1, </s> = 2, <s> = 1.
inline PackedBatch random_batch(const Ids& source_lengths, const Ids& target_lengths,
                                int32_t source_vocabulary, int32_t target_vocabulary, uint64_t seed) {
  PhiloxSequence random(seed, 7);
  Ids source, source_offsets{0}, target_in, target_out, target_offsets{0};
  for (const int32_t length : source_lengths) {
    for (int32_t i = 0; i < length; ++i)
      source.push_back(i + 1 < length ? 3 + static_cast<int32_t>(random.below(source_vocabulary - 3)) : 2);
    source_offsets.push_back(static_cast<int32_t>(source.size()));
  }
  for (const int32_t length : target_lengths) {
    for (int32_t i = 0; i < length; ++i) {
      const int32_t word = 3 + static_cast<int32_t>(random.below(target_vocabulary - 3));
      if (i == 0) target_in.push_back(1);
      if (i + 1 < length) target_in.push_back(word);
      target_out.push_back(i + 1 < length ? word : 2);
    }
    target_offsets.push_back(static_cast<int32_t>(target_in.size()));
  }
  return packed_batch(source, source_offsets, target_in, target_out, target_offsets);
}

}  // namespace xf::tests
