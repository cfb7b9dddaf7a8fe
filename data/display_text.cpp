#include "data/display_text.h"

#include <fmt/core.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

namespace xf::data {
namespace {

// The next code point from byte `at` on, which is moved behind it; negative for an ill-formed
// sequence.
UChar32 next_code_point(std::string_view text, int32_t& at) {
  UChar32 code_point = 0;
  U8_NEXT(reinterpret_cast<const uint8_t*>(text.data()), at, static_cast<int32_t>(text.size()), code_point);
  return code_point;
}

bool is_plain_ascii(char c) { return c >= ' ' && c < 0x7f; }

// What a terminal obeys, what shows text in another order or on another line than it stands, what
// no SVG may hold.
bool is_code(UChar32 c) {
  const bool directs = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  const bool separates = c == 0x2028 || c == 0x2029, no_xml = c == 0xFFFE || c == 0xFFFF;
  return u_charType(c) == U_CONTROL_CHAR || directs || separates || no_xml;
}

std::string written_out(std::string_view text, std::string_view kept) {
  if (std::ranges::all_of(text, is_plain_ascii)) return std::string(text);
  std::string result;
  for (int32_t at = 0; at < static_cast<int32_t>(text.size());) {
    const auto begin = static_cast<size_t>(at);
    const UChar32 c = next_code_point(text, at);
    const std::string_view bytes = text.substr(begin, static_cast<size_t>(at) - begin);
    if (c < 0) {
      for (const char byte : bytes) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    } else if (!is_code(c) || kept.find(bytes) != std::string_view::npos) {
      result += bytes;
    } else {
      result += c < ' ' ? fmt::format("\\x{:02x}", c) : fmt::format("\\u{:04x}", c);
    }
  }
  return result;
}

int width_of(UChar32 c) {
  if (c < 0) return 1;  // shown as U+FFFD
  const int8_t type = u_charType(c);
  const bool combines = type == U_NON_SPACING_MARK || type == U_ENCLOSING_MARK || type == U_FORMAT_CHAR;
  const int32_t syllable = u_getIntPropertyValue(c, UCHAR_HANGUL_SYLLABLE_TYPE);
  if (combines || syllable == U_HST_VOWEL_JAMO || syllable == U_HST_TRAILING_JAMO) return 0;
  const int32_t width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

}  // namespace

std::string printable(std::string_view text) { return written_out(text, ""); }

std::string printable_page(std::string_view text) { return written_out(text, "\n\t"); }

int display_width(std::string_view text) {
  if (std::ranges::all_of(text, is_plain_ascii)) return static_cast<int>(text.size());
  int columns = 0;
  for (int32_t at = 0; at < static_cast<int32_t>(text.size());)
    columns += width_of(next_code_point(text, at));
  return columns;
}

std::string_view fitting(std::string_view text, int columns) {
  int32_t end = 0;
  for (int32_t at = 0; at < static_cast<int32_t>(text.size()); end = at) {
    columns -= width_of(next_code_point(text, at));
    if (columns < 0) break;
  }
  return text.substr(0, static_cast<size_t>(end));
}

}  // namespace xf::data
