#include "data/score/classification_scores.h"

#include "core/error.h"

namespace xf::data {

ClassificationScores classification_scores(std::span<const int32_t> predicted,
                                           std::span<const int32_t> reference, int32_t classes) {
  XF_CHECK(predicted.size() == reference.size() && !reference.empty(),
           "classification scores: {} predictions for {} references", predicted.size(), reference.size());
  std::vector<int64_t> right(static_cast<size_t>(classes)), said(right.size()), meant(right.size());
  for (size_t i = 0; i < reference.size(); ++i) {
    const auto p = static_cast<size_t>(predicted[i]), r = static_cast<size_t>(reference[i]);
    XF_CHECK(p < right.size() && r < right.size(), "classification scores: a class beyond {}", classes);
    ++said[p], ++meant[r];
    if (p == r) ++right[r];
  }
  int64_t all_right = 0;
  double f1 = 0, occurring = 0;
  for (size_t c = 0; c < right.size(); ++c) {
    all_right += right[c];
    if (said[c] + meant[c] == 0) continue;  // said + meant = 2 TP + FP + FN
    f1 += 2 * static_cast<double>(right[c]) / static_cast<double>(said[c] + meant[c]);
    ++occurring;
  }
  return {100 * static_cast<double>(all_right) / static_cast<double>(reference.size()), 100 * f1 / occurring};
}

}  // namespace xf::data
