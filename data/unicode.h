// The Unicode facts that text processing needs, on UTF-8 strings in and out; ICU does the work.
// Unless a function says otherwise its input must be valid UTF-8 (data/text_file.h checks what
// enters the program).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xf::data {

// Offset of the first byte that is not part of well-formed UTF-8 (overlong forms and surrogates are
// not); none if valid.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// Normalisation form C: composed characters, so that equal-looking text has equal bytes.
std::string normalize_nfc(std::string_view text);

// Whether it is in that form already.
bool is_nfc(std::string_view text);

// Form D: characters apart from their signs.
std::string normalize_nfd(std::string_view text);

// Full lower-casing in the root locale (no Turkish i); equals Python's str.lower().
std::string lower_case(std::string_view text);

// In lower case and in form C: J and a caron are two characters, and one as a small letter.
// `composed` false: lower_case().
std::string fold_case(std::string_view text, bool composed = true);

// ICU's u_isspace: with U+00A0 and U+001C..1F, the set on which Python's str.split() splits.
bool is_space(char32_t code_point);

// White space that parts columns, lines or paragraphs and is no space character (category Zs):
// tabs, line ends, U+0085, U+2028, U+001C..1F.
bool is_separator(char32_t code_point);
// A letter, or a sign that belongs to one.
bool is_letter(char32_t code_point);

// What words are spelt with: a letter, a sign that belongs to one, a decimal digit.
bool is_letter_or_digit(char32_t code_point);

// Whether any letter is written from right to left, as in Arabic, Hebrew and others.
bool has_right_to_left(std::string_view text);

// A control character other than tab (category Cc).
bool is_control(char32_t code_point);

// A format character that shows nothing, as a zero-width space, a byte order mark or a soft hyphen.
// Joiners (U+200C and U+200D), which Persian, Hindi and emoji are spelt with, and controls of
// direction are none.
bool is_zero_width(char32_t code_point);
bool is_joiner(char32_t code_point);

// What says the direction of text: U+200E, U+200F, U+202A..2E, U+2066..69, U+061C.
bool is_bidi_control(char32_t code_point);

// Code points; an ill-formed sequence becomes U+FFFD, so any bytes may enter.
std::u32string to_utf32(std::string_view text);
std::string to_utf8(std::u32string_view text);

// The non-empty runs between white space (is_space); views into `text`.
std::vector<std::string_view> split_on_space(std::string_view text);
// Those between ASCII's space alone: other white space, as a no-break space, belongs to them.
std::vector<std::string_view> split_on_ascii_space(std::string_view text);

// Each `from` in the text, left to right, becomes `to`.
void replace_all(std::string& text, std::string_view from, std::string_view to);

// Whether nothing of it shows: it has white space, zero-width and control characters alone, or
// none. Any bytes.
bool is_blank(std::string_view text);

// Those inside a text, which files bring along when they are joined.
enum class ByteOrderMarks { dropped, kept };
// Each separator (is_separator) as a space.
std::string with_plain_spaces(std::string_view text, ByteOrderMarks marks = ByteOrderMarks::dropped);

// `text` without the white space (is_space) at its end, or at both ends.
std::string_view strip_end(std::string_view text);
std::string_view strip(std::string_view text);

}  // namespace xf::data
