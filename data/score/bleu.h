// Corpus and sentence BLEU, equal to sacreBLEU 2.6.0 to the last printed digit.
// Papineni et al. 2002, "BLEU: a method for automatic evaluation of machine translation", ACL.
// Smoothing: Chen and Cherry 2014, "A systematic comparison of smoothing techniques for
// sentence-level BLEU", WMT.
//
//   p_n = 100 m_n / t_n          m_n  hypothesis n-grams found in a reference, clipped by its count
//                                there
//                                t_n  hypothesis n-grams, n = 1 ... 4
//   BP  = min(1, exp(1 - r/h))   h, r tokens of the hypotheses and of the references closest in
//                                length
//   BLEU = BP exp(mean_n ln p_n)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/score/bleu_tokenizer.h"
#include "data/score/score.h"

namespace xf::data {

inline constexpr int kBleuOrder = 4;

// What to do about an order without a match.
enum class BleuSmoothing {
  exp,    // the k-th such order counts as 1/2^k matches
  floor,  // it counts as `smooth_value` matches (default 0.1)
  add_k,  // `smooth_value` (default 1) is added to matches and totals of the orders 2, 3, 4
  none,   // the score is 0
};

// "exp", "floor", "add-k", "none"; the second throws Error(usage) for another name.
std::string_view bleu_smoothing_name(BleuSmoothing smoothing);
BleuSmoothing bleu_smoothing_from_name(std::string_view name);

struct BleuOptions {
  bool lowercase = false;
  bool composed = false;  // lower case in form C: fold_case(), where sacreBLEU has lower_case()
  BleuTokenizer tokenizer = BleuTokenizer::mteval_13a;
  BleuSmoothing smoothing = BleuSmoothing::exp;
  std::optional<double> smooth_value = {};  // none: the default of the method
  bool effective_order = false;             // the mean is over the orders that the hypothesis
                                            // reaches
                                            // (sentence level)
};

// What a segment contributes; sums over segments give the corpus' score.
struct BleuStatistics {
  int64_t hyp_len = 0, ref_len = 0;
  std::array<int64_t, kBleuOrder> matches{}, totals{};
  BleuStatistics& operator+=(const BleuStatistics& other);
};

struct BleuScore : Score {
  std::array<double, kBleuOrder> precisions{};  // in per cent, smoothed
  double brevity_penalty = 0;
  double ratio = 0;  // hyp_len / ref_len, 0 without reference
  int64_t hyp_len = 0, ref_len = 0;
  BleuStatistics statistics;
};

// `references`: every reference of this one segment, at least one.
BleuStatistics bleu_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const BleuOptions& options = {});

// `reference_count` is for the signature.
BleuScore bleu_from_statistics(const BleuStatistics& statistics, const BleuOptions& options = {},
                               size_t reference_count = 1);

// Of sums in 32-bit floats: hyp_len, ref_len, matches, totals.
ResampledScore resampled_bleu(std::span<const float> sums, const BleuOptions& options);

// `references[r][i]` is the r-th reference of hypothesis i. Throws Error(data) where numbers of
// lines differ or there is no line or no reference.
BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references, const BleuOptions& options = {});
BleuScore corpus_bleu(std::span<const std::string> hypotheses, const std::vector<std::string>& references,
                      const BleuOptions& options = {});

// One segment, always with effective order.
BleuScore sentence_bleu(std::string_view hypothesis, std::span<const std::string> references,
                        BleuOptions options = {});

}  // namespace xf::data
