#include "data/score/ter_tokenizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "data/punctuation_rules.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

using Range = std::pair<char32_t, char32_t>;

bool in_ranges(char32_t c, const auto& ranges) {
  return std::ranges::any_of(ranges, [&](const Range& r) { return c >= r.first && c <= r.second; });
}

bool is_east_asian_mark(char32_t c) {
  constexpr std::array<Range, 5> kRanges = {
      {{0x3001, 0x3002}, {0x3008, 0x3011}, {0x3014, 0x301F}, {0x30FB, 0x30FB}, {0xFF61, 0xFF65}}};
  constexpr std::u32string_view kFullWidth = U"．，？：；！＂（）";
  return in_ranges(c, kRanges) || kFullWidth.find(c) != std::u32string_view::npos;
}

// U+3F22, the end of the fourth range, is sacreBLEU's own. Its rules for kana hold at the start of
// a line alone, where a normalised line has a space: they do nothing, and are not here.
bool is_ideograph(char32_t c) {
  constexpr std::array<Range, 7> kRanges = {{{0x2E80, 0x2EFF},
                                             {0x31C0, 0x31EF},
                                             {0x3200, 0x3F22},
                                             {0x3400, 0x4DBF},
                                             {0x4E00, 0x9FFF},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE4F}}};
  return in_ranges(c, kRanges);
}

std::string normalize(std::string_view line, bool asian_support) {
  std::string text(line);
  replace_all(text, "\n-", "");
  replace_all(text, "\n", " ");
  decode_entities(text);
  text = separate_marks(fmt::format(" {} ", text));
  replace_all(text, "'s ", " 's ");
  text = separate_points(text);
  if (!asian_support) return text;
  const auto stands_alone = [](char32_t c) { return is_ideograph(c) || is_east_asian_mark(c); };
  return to_utf8(surround_with_spaces(to_utf32(text), stands_alone));
}

std::string remove_punctuation(const std::string& line, bool asian_support) {
  constexpr std::u32string_view kMarks = U".,?:;!\"()";
  std::u32string text = to_utf32(line);
  std::erase_if(text, [&](char32_t c) {
    return kMarks.find(c) != std::u32string_view::npos || (asian_support && is_east_asian_mark(c));
  });
  return to_utf8(text);
}

}  // namespace

std::string ter_tokenize(std::string_view line, const TerTokenizerOptions& options) {
  const std::string_view stripped = strip_end(line);  // 's at the end is a possessive
  std::string text = options.case_sensitive ? std::string(stripped) : fold_case(stripped, options.composed);
  if (options.normalized) text = normalize(text, options.asian_support);
  if (options.no_punct) text = remove_punctuation(text, options.asian_support);
  return single_spaced(text);
}

}  // namespace xf::data
