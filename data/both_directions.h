// A corpus read in both directions, by a model whose sides share a vocabulary: what it learns of
// either language helps where there is little text, and training ends in the one direction that is
// wanted. Ding, Wu, Tao 2021, arXiv:2109.07780.
#pragma once

#include <cstdint>

#include "data/parallel_corpus.h"

namespace xf::data {

// The same pairs in the same order, about half of them with source and target exchanged: drawn anew
// for each two epochs, the second of which reverses those that the first one did not. A pure
// function of the seed and the epoch. Statistics are the corpus's own.
ParallelCorpus half_reversed(const ParallelCorpus& corpus, uint64_t seed, int64_t epoch);

}  // namespace xf::data
