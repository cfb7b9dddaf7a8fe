// Translation edit rate, equal to sacreBLEU 2.6.0 to the last printed digit. Snover et al. 2006, "A
// study of translation edit rate with targeted human annotation", AMTA.
//
//   TER = 100 edits / words of the reference
//   edits  insertions, deletions and substitutions of a word, and shifts of a run of words, that
//   make the reference from
//          the hypothesis. The fewest are too costly to find: as in Tercom, the shift that saves
//          most is made as long as one saves anything
//   words  of the reference; of several, their mean, and the fewest edits
// 0 is the best; it may exceed 100.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/score/score.h"
#include "data/score/ter_tokenizer.h"

namespace xf::data {

using TerOptions = TerTokenizerOptions;

// What a segment contributes; sums over segments give the corpus' score.
struct TerStatistics {
  int64_t edits = 0;
  double ref_len = 0;
};

// `references`: every reference of this one segment, at least one.
TerStatistics ter_statistics(std::string_view hypothesis, std::span<const std::string> references,
                             const TerOptions& options = {});

// `reference_count` is for the signature.
Score ter_from_statistics(const TerStatistics& statistics, const TerOptions& options = {},
                          size_t reference_count = 1);

// Of sums in 32-bit floats, the edits and the words.
ResampledScore resampled_ter(std::span<const float> sums);

Score sentence_ter(std::string_view hypothesis, std::span<const std::string> references,
                   const TerOptions& options = {});

}  // namespace xf::data
