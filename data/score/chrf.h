// chrF2 and chrF2++, equal to sacreBLEU 2.6.0 to the last printed digit. Popović 2015, "chrF:
// character n-gram F-score for automatic MT evaluation", WMT; Popović 2017, "chrF++: words helping
// character n-grams", WMT.
//
//   F = 100 (1 + beta^2) P R / (beta^2 P + R), beta = 2
//   P, R  precision and recall, each the mean over the orders where hypothesis and reference both
//   have n-grams:
//         characters (code points, white space removed) 1 ... 6, for chrF++ words 1 ... 2 too
// With `eps_smoothing`, as in the authors' program and in NLTK, it is the mean over all orders of
// each one's F instead, a missing precision or recall being 1e-16.
// Counts are summed over segments first; of several references a segment takes the one with the
// best F.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/score/score.h"

namespace xf::data {

struct ChrfOptions {
  bool lowercase = false;
  bool composed = false;  // as BleuOptions'
  int char_order = 6;
  int word_order = 0;       // 2: chrF2++
  int beta = 2;             // recall counts this much more than precision
  bool whitespace = false;  // white space is part of the character n-grams
  bool eps_smoothing = false;
};

// Of each order, the characters' and then the words', how many n-grams hypothesis and reference
// have, and how many are in both.
using ChrfStatistics = std::vector<double>;

// The best of `references`, at least one, for this one segment.
ChrfStatistics chrf_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const ChrfOptions& options = {});

// `reference_count` is for the signature.
Score chrf_from_statistics(const ChrfStatistics& statistics, const ChrfOptions& options = {},
                           size_t reference_count = 1);

// Of sums in 32-bit floats.
ResampledScore resampled_chrf(std::span<const float> sums, const ChrfOptions& options);

// `references[r][i]` is the r-th reference of hypothesis i. Throws Error(data) where numbers of
// lines differ or there is no line or no reference.
Score corpus_chrf(std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references, const ChrfOptions& options = {});
Score corpus_chrf(std::span<const std::string> hypotheses, const std::vector<std::string>& references,
                  const ChrfOptions& options = {});

Score sentence_chrf(std::string_view hypothesis, std::span<const std::string> references,
                    const ChrfOptions& options = {});

}  // namespace xf::data
