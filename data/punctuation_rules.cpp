#include "data/punctuation_rules.h"

#include "data/unicode.h"

// On bytes: every character the rules name is ASCII, and "not a digit" holds for each byte of the
// others.
namespace xf::data {

void decode_entities(std::string& text) {
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
}

std::string separate_marks(const std::string& text) {
  constexpr std::string_view kMarks = "{|}~[\\]^_`!\"#$%&()*+:;<=>?@/";
  return surround_with_spaces(text, [&](char c) { return kMarks.find(c) != std::string_view::npos; });
}

std::string separate_points(const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto not_digit = [&](char c) { return !is_digit(c); };
  const auto is_point = [](char c) { return c == '.' || c == ','; };
  const auto is_hyphen = [](char c) { return c == '-'; };
  std::string result = split_pairs(text, not_digit, is_point, false, true, true);
  result = split_pairs(result, is_point, not_digit, true, true, false);
  return split_pairs(result, is_digit, is_hyphen, false, true, true);
}

std::string single_spaced(std::string_view text) {
  std::string words;
  words.reserve(text.size());
  for (const std::string_view word : split_on_space(text)) {
    if (!words.empty()) words += ' ';
    words += word;
  }
  return words;
}

}  // namespace xf::data
