#include "data/bleu_tokenizer.h"

#include <unicode/uchar.h>

#include <array>
#include <utility>

#include "core/error.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

constexpr std::array<std::pair<std::string_view, BleuTokenizer>, 4> kNames = {
    {{"13a", BleuTokenizer::mteval_13a},
     {"intl", BleuTokenizer::intl},
     {"char", BleuTokenizer::character},
     {"none", BleuTokenizer::none}}};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// One left-to-right pass of a two-character substitution: where first(a) and second(b) hold for neighbours a,
// b, both are consumed and become before + a + between + b + after.
template <typename String, typename First, typename Second>
String split_pairs(const String& text, First first, Second second, bool before, bool between, bool after) {
  using Char = typename String::value_type;
  String result;
  result.reserve(text.size() * 2);
  const auto space_if = [&](bool wanted) {
    if (wanted) result.push_back(Char{' '});
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      result.push_back(text[i]);
      continue;
    }
    space_if(before);
    result.push_back(text[i]);
    space_if(between);
    result.push_back(text[++i]);
    space_if(after);
  }
  return result;
}

template <typename String, typename Predicate>
String surround_with_spaces(const String& text, Predicate is_mark) {
  using Char = typename String::value_type;
  String result;
  result.reserve(text.size() * 2);
  for (const Char c : text) {
    if (is_mark(c)) {
      result += {Char{' '}, c, Char{' '}};
    } else {
      result.push_back(c);
    }
  }
  return result;
}

// On bytes: every character the rules name is ASCII, and "not a digit" holds for each byte of the others.
std::string tokenize_13a(std::string_view line) {
  std::string text = fmt::format(" {} ", line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");

  constexpr std::string_view kMarks = "{|}~[\\]^_`!\"#$%&()*+:;<=>?@/";
  const auto is_mark = [&](char c) { return kMarks.find(c) != std::string_view::npos; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto not_digit = [&](char c) { return !is_digit(c); };
  const auto is_point = [](char c) { return c == '.' || c == ','; };
  const auto is_hyphen = [](char c) { return c == '-'; };
  text = surround_with_spaces(text, is_mark);
  text = split_pairs(text, not_digit, is_point, false, true, true);
  text = split_pairs(text, is_point, not_digit, true, true, false);
  return split_pairs(text, is_digit, is_hyphen, false, true, true);
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

std::string split_marks(std::string_view line, BleuTokenizer tokenizer) {
  switch (tokenizer) {
    case BleuTokenizer::mteval_13a: return tokenize_13a(line);
    case BleuTokenizer::intl: return tokenize_intl(line);
    case BleuTokenizer::character: return tokenize_characters(line);
    case BleuTokenizer::none: break;
  }
  return std::string(line);
}

// Trailing white space goes before the rules see the line: `intl` has a rule that looks at what follows a
// mark.
std::string_view strip_end(std::string_view line) {
  const auto words = split_on_space(line);
  if (words.empty()) return {};
  return line.substr(0, static_cast<size_t>(words.back().data() - line.data()) + words.back().size());
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
  fail(ErrorKind::usage, "unknown BLEU tokeniser '{}'; there are 13a, intl, char and none", name);
}

std::string bleu_tokenize(std::string_view line, BleuTokenizer tokenizer) {
  const std::string text = split_marks(strip_end(line), tokenizer);
  std::string tokens;
  tokens.reserve(text.size());
  for (const std::string_view token : split_on_space(text)) {
    if (!tokens.empty()) tokens += ' ';
    tokens += token;
  }
  return tokens;
}

}  // namespace xf::data
