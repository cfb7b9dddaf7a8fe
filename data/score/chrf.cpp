#include "data/score/chrf.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "core/error.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

constexpr double kEps = 1e-16;  // what stands for a missing rate, or F

// Views into the characters, and into the words, of a prepared Segment.
using NgramCounts = std::unordered_map<std::u32string_view, int64_t>;

// A line ready for counting: its characters, as a rule without white space; its words, each
// followed by one space.
struct Segment {
  std::u32string characters;
  std::u32string words;
  std::vector<size_t> word_starts;  // and one past the end
};

bool is_ascii_punctuation(char32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

void append_word(Segment& segment, std::u32string_view word) {
  segment.words += word;
  segment.words += U' ';
  segment.word_starts.push_back(segment.words.size());
}

Segment prepare(std::string_view line, const ChrfOptions& options) {
  const std::string text = options.lowercase ? fold_case(line, options.composed) : std::string(line);
  Segment segment;
  segment.word_starts.push_back(0);
  if (options.whitespace) segment.characters = to_utf32(text);
  for (const std::string_view run : split_on_space(text)) {
    const std::u32string characters = to_utf32(run);
    const std::u32string_view word = characters;
    if (!options.whitespace) segment.characters += word;
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      append_word(segment, word.substr(0, word.size() - 1));
      append_word(segment, word.substr(word.size() - 1));
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      append_word(segment, word.substr(0, 1));
      append_word(segment, word.substr(1));
    } else {
      append_word(segment, word);
    }
  }
  return segment;
}

NgramCounts count_characters(const Segment& segment, size_t n) {
  NgramCounts counts;
  const std::u32string_view characters = segment.characters;
  for (size_t i = 0; i + n <= characters.size(); ++i) ++counts[characters.substr(i, n)];
  return counts;
}

NgramCounts count_words(const Segment& segment, size_t n) {
  NgramCounts counts;
  const std::vector<size_t>& starts = segment.word_starts;
  for (size_t i = 0; i + n < starts.size(); ++i) {
    ++counts[std::u32string_view(segment.words).substr(starts[i], starts[i + n] - starts[i])];
  }
  return counts;
}

// All orders, characters first.
std::vector<NgramCounts> count_ngrams(const Segment& segment, const ChrfOptions& options) {
  std::vector<NgramCounts> counts;
  for (int n = 1; n <= options.char_order; ++n)
    counts.push_back(count_characters(segment, static_cast<size_t>(n)));
  for (int n = 1; n <= options.word_order; ++n)
    counts.push_back(count_words(segment, static_cast<size_t>(n)));
  return counts;
}

// Adds the counts of one order.
void compare(const NgramCounts& hypothesis, const NgramCounts& reference, ChrfStatistics& statistics) {
  int64_t said = 0, wanted = 0, matches = 0;
  for (const auto& [ngram, count] : hypothesis) {
    said += count;
    const auto found = reference.find(ngram);
    if (found != reference.end()) matches += std::min(count, found->second);
  }
  for (const auto& entry : reference) wanted += entry.second;
  if (reference.empty()) said = 0;  // n-grams of an order that the reference lacks are no mistake
  for (const int64_t count : {said, wanted, matches}) statistics.push_back(static_cast<double>(count));
}

template <typename Real>
Real f_of(Real precision, Real recall, Real beta_squared) {
  return (1 + beta_squared) * precision * recall / (beta_squared * precision + recall);
}

// Of one order, of which `precision` and `recall` exist where there are n-grams.
template <typename Real>
struct Rates {
  Real precision, recall, denominator;
  bool exist;
};

template <typename Real>
Rates<Real> rates_of(std::span<const Real> counts, Real beta_squared) {
  const Real precision = counts[0] > 0 ? counts[2] / counts[0] : Real(kEps);
  const Real recall = counts[1] > 0 ? counts[2] / counts[1] : Real(kEps);
  return {precision, recall, beta_squared * precision + recall, counts[0] > 0 || counts[1] > 0};
}

// `sums`: hypothesis, reference, matches of each order. Real is double, or float for a resample.
template <typename Real>
Real mean_f(std::span<const Real> sums, Real beta_squared) {
  Real sum = 0;
  for (size_t i = 0; i < sums.size(); i += 3) {
    const auto rates = rates_of(sums.subspan(i, 3), beta_squared);
    sum += rates.denominator > 0 ? f_of(rates.precision, rates.recall, beta_squared) : Real(kEps);
  }
  return 100 * sum / static_cast<Real>(sums.size() / 3);
}

template <typename Real>
Real f_of_means(std::span<const Real> sums, Real beta_squared) {
  Real precision = 0, recall = 0, orders = 0;
  for (size_t i = 0; i < sums.size(); i += 3) {
    if (sums[i] == 0 || sums[i + 1] == 0) continue;
    precision += sums[i + 2] / sums[i];
    recall += sums[i + 2] / sums[i + 1];
    ++orders;
  }
  if (precision + recall == 0) return 0;
  return 100 * f_of(precision / orders, recall / orders, beta_squared);
}

template <typename Real>
Real f_score(std::span<const Real> sums, const ChrfOptions& options) {
  const auto beta_squared = static_cast<Real>(options.beta * options.beta);
  return options.eps_smoothing ? mean_f(sums, beta_squared) : f_of_means(sums, beta_squared);
}

double f_score(const ChrfStatistics& statistics, const ChrfOptions& options) {
  return f_score(std::span<const double>(statistics), options);
}

Signature chrf_signature(const ChrfOptions& options, size_t reference_count) {
  return {{"nrefs", "#", fmt::format("{}", reference_count)},
          {"case", "c", options.lowercase ? "lc" : "mixed"},
          {"eff", "e", options.eps_smoothing ? "no" : "yes"},
          {"nc", "nc", fmt::format("{}", options.char_order)},
          {"nw", "nw", fmt::format("{}", options.word_order)},
          {"space", "s", options.whitespace ? "yes" : "no"},
          version_key()};
}

}  // namespace

ChrfStatistics chrf_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const ChrfOptions& options) {
  XF_CHECK(!references.empty(), "chrf_statistics: a segment needs at least one reference");
  const Segment segment = prepare(hypothesis, options);
  const auto hypothesis_counts = count_ngrams(segment, options);
  ChrfStatistics best;
  for (const std::string& line : references) {
    const Segment reference = prepare(line, options);
    const auto reference_counts = count_ngrams(reference, options);
    ChrfStatistics statistics;
    for (size_t n = 0; n < reference_counts.size(); ++n)
      compare(hypothesis_counts[n], reference_counts[n], statistics);
    if (best.empty() || f_score(statistics, options) > f_score(best, options)) best = std::move(statistics);
  }
  return best;
}

Score chrf_from_statistics(const ChrfStatistics& statistics, const ChrfOptions& options,
                           size_t reference_count) {
  Score result;
  result.name =
      fmt::format("chrF{}{}", options.beta, std::string(static_cast<size_t>(options.word_order), '+'));
  result.score = f_score(statistics, options);
  result.signature = chrf_signature(options, reference_count);
  return result;
}

ResampledScore resampled_chrf(std::span<const float> sums, const ChrfOptions& options) {
  const float score = f_score(sums, options);
  if (!options.eps_smoothing) return {score, score > 0};
  bool has_term = false;  // where all orders are the constant, so is the score, and no 32-bit float
  for (size_t i = 0; i < sums.size(); i += 3) {
    const auto rates = rates_of(sums.subspan(i, 3), static_cast<float>(options.beta * options.beta));
    has_term = has_term || (rates.exist && rates.denominator > 0);
  }
  if (has_term) return {score, true};
  const std::vector<double> exact(sums.begin(), sums.end());
  return {f_score(std::span<const double>(exact), options)};
}

Score corpus_chrf(std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references, const ChrfOptions& options) {
  check_segments(hypotheses.size(), references);
  ChrfStatistics sum(static_cast<size_t>(3 * (options.char_order + options.word_order)));
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const ChrfStatistics statistics =
        chrf_statistics(hypotheses[i], references_of_segment(references, i), options);
    for (size_t n = 0; n < sum.size(); ++n) sum[n] += statistics[n];
  }
  return chrf_from_statistics(sum, options, references.size());
}

Score corpus_chrf(std::span<const std::string> hypotheses, const std::vector<std::string>& references,
                  const ChrfOptions& options) {
  return corpus_chrf(hypotheses, std::span(&references, 1), options);
}

Score sentence_chrf(std::string_view hypothesis, std::span<const std::string> references,
                    const ChrfOptions& options) {
  return chrf_from_statistics(chrf_statistics(hypothesis, references, options), options, references.size());
}

}  // namespace xf::data
