#include "data/chrf.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/error.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

constexpr double kBetaSquared = 4.0;

// Views into the characters, and into the words, of a prepared Segment.
using NgramCounts = std::unordered_map<std::u32string_view, int64_t>;

// A line ready for counting: its characters without white space; its words, each followed by one space.
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
  const std::string text = options.lowercase ? lower_case(line) : std::string(line);
  Segment segment;
  segment.word_starts.push_back(0);
  for (const std::string_view run : split_on_space(text)) {
    const std::u32string characters = to_utf32(run);
    const std::u32string_view word = characters;
    segment.characters += word;
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
  for (int n = 1; n <= kChrfCharacterOrder; ++n)
    counts.push_back(count_characters(segment, static_cast<size_t>(n)));
  for (int n = 1; n <= options.word_order; ++n)
    counts.push_back(count_words(segment, static_cast<size_t>(n)));
  return counts;
}

ChrfCounts compare(const NgramCounts& hypothesis, const NgramCounts& reference) {
  ChrfCounts counts;
  for (const auto& [ngram, count] : hypothesis) {
    counts.hypothesis += count;
    const auto found = reference.find(ngram);
    if (found != reference.end()) counts.matches += std::min(count, found->second);
  }
  for (const auto& entry : reference) counts.reference += entry.second;
  if (reference.empty())
    counts.hypothesis = 0;  // n-grams of an order that the reference lacks are no mistake
  return counts;
}

double f_score(const ChrfStatistics& statistics) {
  double precision = 0.0, recall = 0.0;
  int orders = 0;
  for (const ChrfCounts& counts : statistics) {
    if (counts.hypothesis == 0 || counts.reference == 0) continue;
    precision += static_cast<double>(counts.matches) / static_cast<double>(counts.hypothesis);
    recall += static_cast<double>(counts.matches) / static_cast<double>(counts.reference);
    ++orders;
  }
  if (orders == 0 || precision + recall == 0.0) return 0.0;
  precision /= orders;
  recall /= orders;
  return 100.0 * ((1.0 + kBetaSquared) * precision * recall / (kBetaSquared * precision + recall));
}

Signature chrf_signature(const ChrfOptions& options, size_t reference_count) {
  return {{"nrefs", "#", fmt::format("{}", reference_count)},
          {"case", "c", options.lowercase ? "lc" : "mixed"},
          {"eff", "e", "yes"},
          {"nc", "nc", fmt::format("{}", kChrfCharacterOrder)},
          {"nw", "nw", fmt::format("{}", options.word_order)},
          {"space", "s", "no"},
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
    for (size_t n = 0; n < reference_counts.size(); ++n) {
      statistics.push_back(compare(hypothesis_counts[n], reference_counts[n]));
    }
    if (best.empty() || f_score(statistics) > f_score(best)) best = std::move(statistics);
  }
  return best;
}

Score chrf_from_statistics(const ChrfStatistics& statistics, const ChrfOptions& options,
                           size_t reference_count) {
  Score result;
  result.name = "chrF2" + std::string(static_cast<size_t>(options.word_order), '+');
  result.score = f_score(statistics);
  result.signature = chrf_signature(options, reference_count);
  return result;
}

Score corpus_chrf(std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references, const ChrfOptions& options) {
  check_segments(hypotheses.size(), references);
  ChrfStatistics sum(static_cast<size_t>(kChrfCharacterOrder + options.word_order));
  std::vector<std::string> segment_references(references.size());
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    for (size_t r = 0; r < references.size(); ++r) segment_references[r] = references[r][i];
    const ChrfStatistics statistics = chrf_statistics(hypotheses[i], segment_references, options);
    for (size_t n = 0; n < sum.size(); ++n) {
      sum[n].hypothesis += statistics[n].hypothesis;
      sum[n].reference += statistics[n].reference;
      sum[n].matches += statistics[n].matches;
    }
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
