// What two widely read Transformer tutorials report as BLEU. It is not BLEU (data/score/bleu.h),
// and is here to show what their numbers are worth.
//
//   sentence  the words of hypothesis and reference are paired by their place, the longer side's
//   rest is left out; a pair
//             of words gives BLEU's statistics with characters for tokens; those are summed over
//             the sentence, and the score is theirs, without smoothing: 0 if one of them is 0
//   batch     the mean of its sentences' scores
//   corpus    the mean of its batches' scores, a small last one counting as much as the others
//
// One word too many shifts all later pairs: the score falls far under BLEU. A hypothesis that had
// the reference's own words before each position (nn/teacher_forced.h) has its length and order,
// and scores far over it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/score/score.h"

namespace xf::data {

struct TutorialBleu : Score {
  std::vector<double> batches;  // 0 ... 100 each
};

// 0 ... 100. Words are what white space separates.
double tutorial_bleu(std::string_view hypothesis, std::string_view reference);

// `batch`: sentences of a batch, at least 1. Error data unless there are as many references as
// hypotheses, and one.
TutorialBleu tutorial_bleu(std::span<const std::string> hypotheses,
                           const std::vector<std::string>& references, int64_t batch);

}  // namespace xf::data
