// Data diversification (Nguyen et al. 2020, arXiv:1911.01986): a model's own translations of the text that it learns from, in either
// direction, are read beside it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/parallel_corpus.h"

namespace xf::data {

// Of each pair of a corpus; empty where the model had nothing to say, or did not end.
struct OwnTranslations {
  Sequences of_sources;  // [pairs] in the target's language
  Sequences of_targets;  // [pairs] in the source's
};

// The same pairs, each in turn, one in each epoch and all three in three of them: as it stands; its source with that one's own
// translation; the own translation of its target, with that target. As it stands where there is no translation. Statistics are the
// corpus's own.
ParallelCorpus diversified(const ParallelCorpus& corpus, const OwnTranslations& own, int64_t epoch);

// As numbers, to be stored or sent, and back. Error data for numbers that are none, or of another count than `size`.
std::vector<int32_t> packed(const Sequences& sequences);
Sequences unpacked(std::span<const int32_t> numbers, int64_t size);

}  // namespace xf::data
