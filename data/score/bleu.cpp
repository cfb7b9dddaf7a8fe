#include "data/score/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

constexpr std::array<std::pair<std::string_view, BleuSmoothing>, 4> kNames = {
    {{"exp", BleuSmoothing::exp},
     {"floor", BleuSmoothing::floor},
     {"add-k", BleuSmoothing::add_k},
     {"none", BleuSmoothing::none}}};

// Tokens are joined by single spaces and hold none, so an n-gram is a stretch of the line, and
// stretches of different orders differ.
using NgramCounts = std::unordered_map<std::string_view, int64_t>;

std::string prepare(std::string_view line, const BleuOptions& options) {
  return bleu_tokenize(options.lowercase ? fold_case(line, options.composed) : std::string(line),
                       options.tokenizer);
}

// One map per order.
std::array<NgramCounts, kBleuOrder> count_ngrams(const std::vector<std::string_view>& tokens) {
  std::array<NgramCounts, kBleuOrder> counts;
  for (size_t first = 0; first < tokens.size(); ++first) {
    const size_t longest = std::min<size_t>(kBleuOrder, tokens.size() - first);
    for (size_t n = 0; n < longest; ++n) {
      const char* begin = tokens[first].data();
      const std::string_view last = tokens[first + n];
      ++counts[n][{begin, static_cast<size_t>(last.data() + last.size() - begin)}];
    }
  }
  return counts;
}

int64_t closest_length(int64_t hyp_len, std::span<const int64_t> ref_lens) {
  return *std::min_element(ref_lens.begin(), ref_lens.end(), [&](int64_t a, int64_t b) {
    return std::pair(std::abs(a - hyp_len), a) < std::pair(std::abs(b - hyp_len), b);
  });
}

double smooth_value(const BleuOptions& options) {
  return options.smooth_value.value_or(options.smoothing == BleuSmoothing::floor ? 0.1 : 1.0);
}

double brevity_penalty(int64_t hyp_len, int64_t ref_len) {
  if (hyp_len >= ref_len) return 1.0;
  if (hyp_len == 0) return 0.0;
  return std::exp(1.0 - static_cast<double>(ref_len) / static_cast<double>(hyp_len));
}

// Matches and totals of each order. Real is double, or float for a resample.
template <typename Real>
struct OrderCounts {
  std::array<Real, kBleuOrder> matches{}, totals{};
};

struct Precisions {
  std::array<double, kBleuOrder> values{};  // up to the first order without an n-gram
  int orders = kBleuOrder;                  // of the mean
};

template <typename Real>
Precisions smoothed_precisions(const OrderCounts<Real>& counts, const BleuOptions& options) {
  Precisions result;
  Real halving = 1;
  for (size_t n = 0; n < kBleuOrder; ++n) {
    const Real added = options.smoothing == BleuSmoothing::add_k && n > 0 ? Real(smooth_value(options)) : 0;
    const Real matches = counts.matches[n] + added, total = counts.totals[n] + added;
    if (total == 0) break;
    if (options.effective_order) result.orders = static_cast<int>(n) + 1;
    if (matches > 0) {
      result.values[n] = 100 * matches / total;
    } else if (options.smoothing == BleuSmoothing::exp) {
      halving *= 2;
      result.values[n] = 100 / (halving * total);
    } else if (options.smoothing == BleuSmoothing::floor) {
      result.values[n] = Real(100.0 * smooth_value(options)) / total;
    }
  }
  return result;
}

double geometric_mean(const Precisions& precisions) {
  constexpr double kLogOfZero =
      -9999999999.0;  // sacreBLEU's floor of the logarithm: any zero makes the mean zero
  double sum = 0.0;
  for (size_t n = 0; n < static_cast<size_t>(precisions.orders); ++n) {
    sum += precisions.values[n] == 0.0 ? kLogOfZero : std::log(precisions.values[n]);
  }
  return std::exp(sum / precisions.orders);
}

template <typename Real>
bool has_match(const OrderCounts<Real>& counts) {
  return std::ranges::any_of(counts.matches, [](Real count) { return count != 0; });
}

std::string smoothing_text(const BleuOptions& options) {
  const std::string_view name = bleu_smoothing_name(options.smoothing);
  const bool has_value =
      options.smoothing == BleuSmoothing::floor || options.smoothing == BleuSmoothing::add_k;
  return has_value ? fmt::format("{}[{:.2f}]", name, smooth_value(options)) : std::string(name);
}

Signature bleu_signature(const BleuOptions& options, size_t reference_count) {
  return {{"nrefs", "#", fmt::format("{}", reference_count)},
          {"case", "c", options.lowercase ? "lc" : "mixed"},
          {"eff", "e", options.effective_order ? "yes" : "no"},
          {"tok", "tok", std::string(bleu_tokenizer_name(options.tokenizer))},
          {"smooth", "s", smoothing_text(options)},
          version_key()};
}

}  // namespace

std::string_view bleu_smoothing_name(BleuSmoothing smoothing) {
  for (const auto& [name, value] : kNames) {
    if (value == smoothing) return name;
  }
  fail(ErrorKind::failure, "bleu_smoothing_name: no smoothing has the number {}",
       static_cast<int>(smoothing));
}

BleuSmoothing bleu_smoothing_from_name(std::string_view name) {
  for (const auto& [known, value] : kNames) {
    if (known == name) return value;
  }
  fail(ErrorKind::usage, "unknown BLEU smoothing '{}'; there are exp, floor, add-k and none", name);
}

BleuStatistics& BleuStatistics::operator+=(const BleuStatistics& other) {
  hyp_len += other.hyp_len;
  ref_len += other.ref_len;
  for (size_t n = 0; n < kBleuOrder; ++n) {
    matches[n] += other.matches[n];
    totals[n] += other.totals[n];
  }
  return *this;
}

BleuStatistics bleu_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const BleuOptions& options) {
  XF_CHECK(!references.empty(), "bleu_statistics: a segment needs at least one reference");
  const std::string hyp_line = prepare(hypothesis, options);
  const auto hyp_tokens = split_on_space(hyp_line);
  const auto hyp_counts = count_ngrams(hyp_tokens);

  std::vector<std::string> ref_lines;
  for (const std::string& reference : references) ref_lines.push_back(prepare(reference, options));
  std::array<NgramCounts, kBleuOrder> limits;  // the largest count in any reference
  std::vector<int64_t> ref_lens;
  for (const std::string& line : ref_lines) {
    const auto tokens = split_on_space(line);
    ref_lens.push_back(static_cast<int64_t>(tokens.size()));
    const auto counts = count_ngrams(tokens);
    for (size_t n = 0; n < kBleuOrder; ++n) {
      for (const auto& [ngram, count] : counts[n]) limits[n][ngram] = std::max(limits[n][ngram], count);
    }
  }

  BleuStatistics statistics;
  statistics.hyp_len = static_cast<int64_t>(hyp_tokens.size());
  statistics.ref_len = closest_length(statistics.hyp_len, ref_lens);
  for (size_t n = 0; n < kBleuOrder; ++n) {
    for (const auto& [ngram, count] : hyp_counts[n]) {
      statistics.totals[n] += count;
      const auto limit = limits[n].find(ngram);
      if (limit != limits[n].end()) statistics.matches[n] += std::min(count, limit->second);
    }
  }
  return statistics;
}

BleuScore bleu_from_statistics(const BleuStatistics& statistics, const BleuOptions& options,
                               size_t reference_count) {
  BleuScore result;
  result.name = "BLEU";
  result.statistics = statistics;
  result.hyp_len = statistics.hyp_len;
  result.ref_len = statistics.ref_len;
  result.ratio =
      result.ref_len == 0 ? 0.0 : static_cast<double>(result.hyp_len) / static_cast<double>(result.ref_len);
  result.brevity_penalty = brevity_penalty(result.hyp_len, result.ref_len);
  OrderCounts<double> counts;
  std::ranges::copy(statistics.matches, counts.matches.begin());
  std::ranges::copy(statistics.totals, counts.totals.begin());
  if (has_match(counts)) {
    const Precisions precisions = smoothed_precisions(counts, options);
    result.precisions = precisions.values;
    result.score = result.brevity_penalty * geometric_mean(precisions);
  }
  const auto& p = result.precisions;
  result.verbose =
      fmt::format("{:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})", p[0],
                  p[1], p[2], p[3], result.brevity_penalty, result.ratio, result.hyp_len, result.ref_len);
  result.signature = bleu_signature(options, reference_count);
  return result;
}

ResampledScore resampled_bleu(std::span<const float> sums, const BleuOptions& options) {
  OrderCounts<float> counts;
  std::ranges::copy(sums.subspan(2, kBleuOrder), counts.matches.begin());
  std::ranges::copy(sums.subspan(2 + kBleuOrder, kBleuOrder), counts.totals.begin());
  if (!has_match(counts)) return {};
  const double penalty = brevity_penalty(static_cast<int64_t>(sums[0]), static_cast<int64_t>(sums[1]));
  return {penalty * geometric_mean(smoothed_precisions(counts, options))};
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references, const BleuOptions& options) {
  check_segments(hypotheses.size(), references);
  BleuStatistics sum;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    sum += bleu_statistics(hypotheses[i], references_of_segment(references, i), options);
  }
  return bleu_from_statistics(sum, options, references.size());
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses, const std::vector<std::string>& references,
                      const BleuOptions& options) {
  return corpus_bleu(hypotheses, std::span(&references, 1), options);
}

BleuScore sentence_bleu(std::string_view hypothesis, std::span<const std::string> references,
                        BleuOptions options) {
  options.effective_order = true;
  return bleu_from_statistics(bleu_statistics(hypothesis, references, options), options, references.size());
}

}  // namespace xf::data
