// Minimum risk (docs/derivations/minimum_risk.md): what a model says of the sentences that it learns from, the better and the
// worse by BLEU, so that it learns to say the one and not the other. Shen et al. 2016, arXiv:1512.02433; Edunov et al. 2018,
// arXiv:1711.04956; of their candidates two are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "data/score/bleu.h"

namespace xf::data {

// Two translations of a pair's source, and by how much the better one's BLEU is higher: above 0, at most 1.
struct Contrast {
  int64_t pair = 0;  // number in the corpus
  std::vector<int32_t> better, worse;
  float difference = 0;
};

struct Candidate {
  std::vector<int32_t> ids;  // at least one
  std::string text;
};

// The candidates whose sentence BLEU against the reference is the highest and the lowest, of equal ones the first; nothing where
// no two differ.
std::optional<Contrast> contrast(int64_t pair, std::span<const Candidate> candidates,
                                 const std::string& reference, const BleuOptions& bleu);

// The same pairs, where a pair has a contrast its source with three targets in turn, one in each epoch and all three in three of
// them: its own, with the weight 1; the better translation, which weighs `weight` times the difference; the worse one, which
// weighs as much below zero (MR3). Statistics are the corpus's own.
ParallelCorpus contrasted(const ParallelCorpus& corpus, std::span<const Contrast> contrasts, double weight,
                          int64_t epoch);

// As numbers, to be stored or sent, and back. Error data for numbers that are none, or of other pairs than `corpus` has.
std::vector<int32_t> packed(std::span<const Contrast> contrasts);
std::vector<Contrast> unpacked(std::span<const int32_t> numbers, const ParallelCorpus& corpus);

}  // namespace xf::data
