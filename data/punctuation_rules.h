// The substitutions that the tokenisers of scores are made of: each is one pass from left to right,
// in which no character is matched twice. `String` is std::string or std::u32string.
#pragma once

#include <string>
#include <string_view>

namespace xf::data {

// Where first(a) and second(b) hold for neighbours a, b, both are consumed and become before + a +
// between + b + after.
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

// &quot; &amp; &lt; &gt;, in this order: "&amp;lt;" becomes "<".
void decode_entities(std::string& text);

// Spaces around ASCII marks and symbols, but not around the apostrophe, comma, hyphen and full
// stop.
std::string separate_marks(const std::string& text);

// Spaces around a comma or full stop that is not between digits, and around a hyphen behind a
// digit.
std::string separate_points(const std::string& text);

// The words between white space, joined by single spaces.
std::string single_spaced(std::string_view text);

}  // namespace xf::data
