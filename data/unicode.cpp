#include "data/unicode.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

#include "core/error.h"

namespace xf::data {
namespace {

constexpr UChar32 kByteOrderMark = 0xFEFF;
constexpr UChar32 kFirstTag = 0xE0020, kLastTag = 0xE007F;  // letters of a flag
constexpr UChar32 kBlankBraille = 0x2800;                   // a cell without dots

icu::StringPiece piece_of(std::string_view text) {
  return icu::StringPiece(text.data(), static_cast<int32_t>(text.size()));
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void check(UErrorCode status, const char* what) {
  if (U_FAILURE(status)) fail(ErrorKind::failure, "unicode: {}: {}", what, u_errorName(status));
}

// The next code point from byte `at` on, which is moved behind it; negative for an ill-formed
// sequence.
UChar32 next_code_point(std::string_view text, int32_t& at) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto size = static_cast<int32_t>(text.size());
  UChar32 code_point = 0;
  U8_NEXT(bytes, at, size, code_point);
  return code_point;
}

const icu::Normalizer2& form(const icu::Normalizer2* (*instance)(UErrorCode&)) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* found = instance(status);
  check(status, "normalisation data");
  return *found;
}

std::string normalized(std::string_view text, const icu::Normalizer2& form) {
  UErrorCode status = U_ZERO_ERROR;
  std::string result;
  icu::StringByteSink<std::string> sink(&result, static_cast<int32_t>(text.size()));
  form.normalizeUTF8(0, piece_of(text), sink, nullptr, status);
  check(status, "normalising");
  return result;
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  if (is_ascii(text)) return std::nullopt;
  for (int32_t at = 0; at < static_cast<int32_t>(text.size());) {
    const int32_t begin = at;
    if (next_code_point(text, at) < 0) return static_cast<std::size_t>(begin);
  }
  return std::nullopt;
}

std::string normalize_nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  return normalized(text, form(&icu::Normalizer2::getNFCInstance));
}

std::string normalize_nfd(std::string_view text) {
  return normalized(text, form(&icu::Normalizer2::getNFDInstance));
}

bool is_nfc(std::string_view text) {
  if (is_ascii(text)) return true;
  const icu::Normalizer2& nfc = form(&icu::Normalizer2::getNFCInstance);
  UErrorCode status = U_ZERO_ERROR;
  const bool composed = nfc.isNormalizedUTF8(piece_of(text), status);
  check(status, "normalising");
  return composed;
}

std::string lower_case(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  std::string result;
  icu::StringByteSink<std::string> sink(&result, static_cast<int32_t>(text.size()));
  icu::CaseMap::utf8ToLower("", 0, piece_of(text), sink, nullptr, status);  // "" is the root locale
  check(status, "lower-casing");
  return result;
}

std::string fold_case(std::string_view text, bool composed) {
  return composed ? normalize_nfc(lower_case(text)) : lower_case(text);
}

bool is_space(char32_t code_point) { return u_isspace(static_cast<UChar32>(code_point)) != 0; }

bool is_separator(char32_t code_point) {
  return is_space(code_point) && u_charType(static_cast<UChar32>(code_point)) != U_SPACE_SEPARATOR;
}

bool is_letter(char32_t code_point) {
  const auto c = static_cast<UChar32>(code_point);
  return u_isUAlphabetic(c) || (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0;
}

bool is_letter_or_digit(char32_t code_point) {
  return is_letter(code_point) || u_isdigit(static_cast<UChar32>(code_point));
}

bool has_right_to_left(std::string_view text) {
  if (is_ascii(text)) return false;
  return std::ranges::any_of(to_utf32(text), [](char32_t code_point) {
    const UCharDirection direction = u_charDirection(static_cast<UChar32>(code_point));
    return direction == U_RIGHT_TO_LEFT || direction == U_RIGHT_TO_LEFT_ARABIC;
  });
}

bool is_control(char32_t code_point) {
  return code_point != U'\t' && u_charType(static_cast<UChar32>(code_point)) == U_CONTROL_CHAR;
}

bool is_joiner(char32_t code_point) { return code_point == 0x200C || code_point == 0x200D; }

bool is_bidi_control(char32_t code_point) {
  return u_hasBinaryProperty(static_cast<UChar32>(code_point), UCHAR_BIDI_CONTROL) != 0;
}

bool is_zero_width(char32_t code_point) {
  const auto c = static_cast<UChar32>(code_point);
  const bool is_of_emoji = c >= kFirstTag && c <= kLastTag;
  return u_charType(c) == U_FORMAT_CHAR && u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) &&
         !is_joiner(code_point) && !is_bidi_control(code_point) && !is_of_emoji;
}

std::u32string to_utf32(std::string_view text) {
  std::u32string result;
  result.reserve(text.size());
  for (int32_t at = 0; at < static_cast<int32_t>(text.size());) {
    const UChar32 code_point = next_code_point(text, at);
    result.push_back(code_point < 0 ? U'\uFFFD' : static_cast<char32_t>(code_point));
  }
  return result;
}

std::string to_utf8(std::u32string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char32_t code_point : text) {
    char bytes[U8_MAX_LENGTH];
    int32_t size = 0;
    U8_APPEND_UNSAFE(bytes, size, static_cast<UChar32>(code_point));
    result.append(bytes, static_cast<std::size_t>(size));
  }
  return result;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::vector<std::string_view> split_on_space(std::string_view text) {
  std::vector<std::string_view> words;
  int32_t begin = 0;
  const auto close_word = [&](int32_t end) {
    if (end > begin)
      words.push_back(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  };
  for (int32_t at = 0; at < static_cast<int32_t>(text.size());) {
    const int32_t here = at;
    const UChar32 code_point = next_code_point(text, at);
    if (code_point < 0 || !u_isspace(code_point)) continue;
    close_word(here);
    begin = at;
  }
  close_word(static_cast<int32_t>(text.size()));
  return words;
}

std::vector<std::string_view> split_on_ascii_space(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool is_blank(std::string_view text) {
  for (int32_t at = 0; at < static_cast<int32_t>(text.size());) {
    const UChar32 c = next_code_point(text, at);
    const bool shows = c < 0 || !(u_isspace(c) || u_charType(c) == U_CONTROL_CHAR || c == kBlankBraille ||
                                  u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT));
    if (shows) return false;
  }
  return true;
}

std::string with_plain_spaces(std::string_view text, ByteOrderMarks marks) {
  // Bytes that begin a separator or a byte order mark; most lines have none of them.
  const auto may_begin = [](char byte) {
    const auto b = static_cast<unsigned char>(byte);
    return b < 0x20 || b == 0xC2 || b == 0xE2 || b == 0xEF;
  };
  if (std::ranges::none_of(text, may_begin)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  for (int32_t at = 0; at < static_cast<int32_t>(text.size());) {
    const int32_t begin = at;
    const UChar32 c = next_code_point(text, at);
    if (c == kByteOrderMark && marks == ByteOrderMarks::dropped) continue;
    if (c >= 0 && is_separator(static_cast<char32_t>(c))) {
      result += ' ';
    } else {
      result += text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(at - begin));
    }
  }
  return result;
}

std::string_view strip_end(std::string_view text) {
  auto end = static_cast<int32_t>(text.size());
  for (int32_t at = end; at > 0; end = at) {
    UChar32 code_point = 0;
    U8_PREV(reinterpret_cast<const uint8_t*>(text.data()), 0, at, code_point);
    if (code_point < 0 || !u_isspace(code_point)) break;
  }
  return text.substr(0, static_cast<std::size_t>(end));
}

std::string_view strip(std::string_view text) {
  const auto words = split_on_space(text);
  if (words.empty()) return {};
  return strip_end(text.substr(static_cast<std::size_t>(words.front().data() - text.data())));
}

}  // namespace xf::data
