#include "data/score/ter.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/error.h"
#include "data/score/shift_search.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

// Gives equal words equal numbers.
class WordNumbers {
 public:
  Words numbers_of(std::string_view line) {
    Words words;
    for (const std::string_view word : split_on_space(line)) {
      words.push_back(numbers_.emplace(word, static_cast<int32_t>(numbers_.size())).first->second);
    }
    return words;
  }

 private:
  std::unordered_map<std::string, int32_t> numbers_;
};

template <typename Real>
Real edit_rate(Real edits, Real ref_len) {
  if (ref_len > 0) return 100 * (edits / ref_len);
  return edits > 0 ? Real{100} : Real{0};  // all words are wrong where there should be none
}

Signature ter_signature(const TerOptions& options, size_t reference_count) {
  const auto yes_if = [](bool value) { return value ? "yes" : "no"; };
  return {{"nrefs", "#", fmt::format("{}", reference_count)},
          {"case", "c", options.case_sensitive ? "mixed" : "lc"},
          {"tok", "t", "tercom"},
          {"norm", "nr", yes_if(options.normalized)},
          {"punct", "pn", yes_if(!options.no_punct)},
          {"asian", "as", yes_if(options.asian_support)},
          version_key()};
}

}  // namespace

TerStatistics ter_statistics(std::string_view hypothesis, std::span<const std::string> references,
                             const TerOptions& options) {
  XF_CHECK(!references.empty(), "ter_statistics: a segment needs at least one reference");
  WordNumbers numbers;
  const Words words = numbers.numbers_of(ter_tokenize(hypothesis, options));
  TerStatistics statistics{.edits = std::numeric_limits<int64_t>::max()};
  size_t ref_words = 0;
  for (const std::string& line : references) {
    // Twice, as sacreBLEU does: with normalisation the second time separates the 's that a comma
    // followed.
    const Words reference = numbers.numbers_of(ter_tokenize(ter_tokenize(line, options), options));
    statistics.edits = std::min(statistics.edits, edits_with_shifts(words, reference));
    ref_words += reference.size();
  }
  statistics.ref_len = static_cast<double>(ref_words) / static_cast<double>(references.size());
  return statistics;
}

Score ter_from_statistics(const TerStatistics& statistics, const TerOptions& options,
                          size_t reference_count) {
  Score result;
  result.name = "TER";
  result.score = edit_rate(static_cast<double>(statistics.edits), statistics.ref_len);
  result.signature = ter_signature(options, reference_count);
  return result;
}

ResampledScore resampled_ter(std::span<const float> sums) {
  return {edit_rate(sums[0], sums[1]), sums[1] > 0};
}

Score sentence_ter(std::string_view hypothesis, std::span<const std::string> references,
                   const TerOptions& options) {
  return ter_from_statistics(ter_statistics(hypothesis, references, options), options, references.size());
}

}  // namespace xf::data
