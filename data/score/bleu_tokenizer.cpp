#include "data/score/bleu_tokenizer.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "data/punctuation_rules.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

constexpr std::array<std::pair<std::string_view, BleuTokenizer>, 5> kNames = {
    {{"13a", BleuTokenizer::mteval_13a},
     {"intl", BleuTokenizer::intl},
     {"char", BleuTokenizer::character},
     {"zh", BleuTokenizer::chinese},
     {"none", BleuTokenizer::none}}};

std::string tokenize_13a(std::string_view line) {
  std::string text = fmt::format(" {} ", line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  decode_entities(text);
  return separate_points(separate_marks(text));
}

bool in_categories(char32_t c, uint32_t mask) { return (U_GET_GC_MASK(static_cast<UChar32>(c)) & mask) != 0; }

std::string tokenize_intl(std::string_view line) {
  const auto not_number = [](char32_t c) { return !in_categories(c, U_GC_N_MASK); };
  const auto is_punctuation = [](char32_t c) { return in_categories(c, U_GC_P_MASK); };
  const auto is_symbol = [](char32_t c) { return in_categories(c, U_GC_S_MASK); };
  std::u32string text = to_utf32(line);
  text = split_pairs(text, not_number, is_punctuation, false, true, true);
  text = split_pairs(text, is_punctuation, not_number, true, true, false);
  return to_utf8(surround_with_spaces(text, is_symbol));
}

std::string tokenize_characters(std::string_view line) {
  return to_utf8(surround_with_spaces(to_utf32(line), [](char32_t) { return true; }));
}

// Unlike 13a, without a space at either end: a full stop that begins the line stays with what
// follows.
std::string tokenize_chinese(std::string_view line) {
  return separate_points(separate_marks(to_utf8(surround_with_spaces(to_utf32(strip(line)), is_cut_by_zh))));
}

std::string split_marks(std::string_view line, BleuTokenizer tokenizer) {
  switch (tokenizer) {
    case BleuTokenizer::mteval_13a: return tokenize_13a(line);
    case BleuTokenizer::intl: return tokenize_intl(line);
    case BleuTokenizer::character: return tokenize_characters(line);
    case BleuTokenizer::chinese: return tokenize_chinese(line);
    case BleuTokenizer::none: break;
  }
  return std::string(line);
}

}  // namespace

std::string_view bleu_tokenizer_name(BleuTokenizer tokenizer) {
  for (const auto& [name, value] : kNames) {
    if (value == tokenizer) return name;
  }
  fail(ErrorKind::failure, "bleu_tokenizer_name: no tokeniser has the number {}",
       static_cast<int>(tokenizer));
}

BleuTokenizer bleu_tokenizer_from_name(std::string_view name) {
  for (const auto& [known, value] : kNames) {
    if (known == name) return value;
  }
  fail(ErrorKind::usage, "unknown BLEU tokeniser '{}'; there are 13a, intl, char, zh and none", name);
}

// The ranges of sacreBLEU's `zh`. The third looks odd and is what its code does: code points of
// five digits are written there with an escape that takes four, so that most punctuation, arrows
// and mathematics count as Chinese, and the ideographs from U+20000 on do not.
bool is_cut_by_zh(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 20> kRanges = {
      {{0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0x2001, 0x2A6D}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
       {0xFA70, 0xFAD9}, {0xFF00, 0xFFEF}, {0x2E80, 0x2EFF}, {0x3000, 0x303F}, {0x31C0, 0x31EF},
       {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0xFE10, 0xFE1F},
       {0xFE30, 0xFE4F}, {0x2600, 0x26FF}, {0x2700, 0x27BF}, {0x3200, 0x32FF}, {0x3300, 0x33FF}}};
  return std::ranges::any_of(kRanges, [&](const auto& r) { return c >= r.first && c <= r.second; });
}

// White space at the end goes before the rules see the line: `intl` has one that looks at what
// follows a mark.
std::string bleu_tokenize(std::string_view line, BleuTokenizer tokenizer) {
  return single_spaced(split_marks(strip_end(line), tokenizer));
}

}  // namespace xf::data
