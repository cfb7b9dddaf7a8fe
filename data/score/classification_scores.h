// Scores of predicted classes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace xf::data {

// 0 to 100. macro_f1: the mean over the classes that occur, among predictions or references, of
// F1 = 2 TP / (2 TP + FP + FN); as scikit-learn's f1_score(average="macro").
struct ClassificationScores {
  double accuracy = 0, macro_f1 = 0;
};

// Error failure unless both are as long, and not empty; ids are in [0, classes).
ClassificationScores classification_scores(std::span<const int32_t> predicted,
                                           std::span<const int32_t> reference, int32_t classes);

}  // namespace xf::data
