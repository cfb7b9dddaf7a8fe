// Word dropout: a word that the model reads is <unk> with some probability, while those that it is
// to predict stay. Gal, Ghahramani 2016, arXiv:1512.05287; for source and target each at a rate of
// its own, Sennrich, Zhang 2019, arXiv:1905.11901, section 3.3. </s> of a source and <s> of a
// target always stay.
//
// Word n of a side is dropped as an element of a matrix [N, 1] would be (DR1), of a site of the
// side's own: which ones depends on the seed, the update and the word's number in it alone. A batch
// that is read several times has others dropped in each reading, which is Shen et al. 2020,
// arXiv:2009.13818: token cutoff.
#pragma once

#include <cstdint>

#include "core/packed_batch.h"

namespace xf::nn {

struct WordDropout {
  float source = 0, target = 0;                    // probabilities, in [0, 1)
  int32_t source_unknown = 0, target_unknown = 0;  // ids of <unk>
};

// What comes before a batch in the training.
struct BatchPlace {
  int64_t update = 0;
  int64_t source_tokens = 0, target_tokens = 0;  // in the update
};

// The batch as the model reads it; of a batch on the CPU. Targets that are to be predicted are the
// batch's own.
PackedBatch drop_words(const PackedBatch& batch, const WordDropout& dropout, uint64_t seed,
                       const BatchPlace& place);

}  // namespace xf::nn
