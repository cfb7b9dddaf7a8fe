// Where words begin and end in text, also in text without spaces.
#pragma once

#include <cstddef>
#include <set>
#include <string_view>

namespace xf::data {

// Byte offsets in valid UTF-8, both ends of the text among them, by Unicode's rules (UAX #29) and,
// for Chinese, Japanese, Thai, Lao, Khmer and Burmese, ICU's dictionaries.
std::set<size_t> word_boundaries(std::string_view text);

// Whether a script's letters stand side by side without spaces between words: Chinese, Japanese,
// Thai and others.
bool is_written_without_spaces(char32_t code_point);

}  // namespace xf::data
