#include "data/unicode.h"
#include "tests/support/catch.h"

using namespace xf::data;

TEST_CASE("UTF-8: exactly the well-formed sequences of the Unicode Standard, table 3-7, are valid",
          "[unit]") {
  for (const char* good :
       {"", "a", "\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    CHECK_FALSE(first_invalid_utf8(good));
  }
  // A lone continuation, overlong forms, a surrogate, beyond U+10FFFF, a cut sequence: each after
  // two good bytes.
  for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2\x82"}) {
    CHECK(first_invalid_utf8(std::string("ab") + bad + "c") == 2);
  }
}

TEST_CASE("UTF-8: code points and bytes convert into each other", "[unit]") {
  const std::string text = "a\xC3\xA4\xE2\x96\x81\xF0\x9F\x98\x80";
  CHECK(to_utf32(text) == U"a\u00E4\u2581\U0001F600");
  CHECK(to_utf8(to_utf32(text)) == text);
  CHECK(to_utf32("a\xFFz") == U"a\uFFFDz");
}

TEST_CASE("NFC: a letter and a combining mark become one", "[unit]") {
  CHECK(normalize_nfc("a\u0308") == "\u00E4");
  CHECK(normalize_nfc("\u00E4") == "\u00E4");
  CHECK(normalize_nfc("\u1100\u1161") == "\uAC00");  // Hangul composes by rule
  CHECK(normalize_nfc("\uFB01") == "\uFB01");        // a ligature is a compatibility matter: NFKC,
                                                     // not NFC
}

TEST_CASE("Lower case: the root locale's full mapping, as Python's lower()", "[unit]") {
  CHECK(lower_case("Ein GRO\u00DFER Mann \u00C4\u00D6\u00DC") == "ein gro\u00DFer mann \u00E4\u00F6\u00FC");
  CHECK(lower_case("\u1E9E") == "\u00DF");
  CHECK(lower_case("I\u0130") == "ii\u0307");                                     // not Turkish
  CHECK(lower_case("\u039F\u03A3 \u03A3\u0391") == "\u03BF\u03C2 \u03C3\u03B1");  // final sigma
}

TEST_CASE("Case folding: in form C, where a small letter has its sign in it and the capital has not",
          "[unit]") {
  CHECK(lower_case("J\u030C") == "j\u030C");
  CHECK(fold_case("J\u030C H\u0331 T\u0308 \u03AA\u0301") == "\u01F0 \u1E96 \u1E97 \u0390");
}

TEST_CASE("White space: the set on which Python's split() splits", "[unit]") {
  // `[c for c in range(0x110000) if chr(c).isspace()]` in Python 3.
  const std::u32string spaces =
      U"\t\n\v\f\r\x1C\x1D\x1E\x1F \x85\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
      U"\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000";
  std::u32string found;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (is_space(c)) found.push_back(c);
  }
  CHECK(found == spaces);
  CHECK(split_on_space(" a\u00A0b  c\t") == std::vector<std::string_view>{"a", "b", "c"});
  CHECK(split_on_space(" ").empty());
}

TEST_CASE("Unicode: words are spelt with letters, their signs and digits, not with punctuation", "[unit]") {
  // The third: a vowel's sign of Devanagari.
  for (const char32_t c : U"aÉि\u094D\u0301猫7") CHECK((c == 0 || is_letter_or_digit(c)));
  for (const char32_t c : U".,'<>-„“ \u2581") CHECK_FALSE(is_letter_or_digit(c));
}

TEST_CASE("White space: separators are what Python's split() splits on, space characters (Zs) aside",
          "[unit]") {
  // `[c for c in map(chr, range(0x110000)) if c.isspace() and unicodedata.category(c) != "Zs"]` in
  // Python 3.
  std::u32string found;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (is_separator(c)) found.push_back(c);
  }
  CHECK(found == U"\t\n\v\f\r\x1C\x1D\x1E\x1F\x85\u2028\u2029");
  CHECK(with_plain_spaces("a\tb\vc\fd\x1E"
                          "e\u0085f\u2028g\u2029h") == "a b c d e f g h");
  // Typography stays: French no-break spaces, the ideographic space; and a mark that joined files
  // leave goes.
  const std::string kept = "\u00AB\u00A0ici\u202F!\u00A0\u00BB\u3000\u1680\u2009";
  CHECK(with_plain_spaces(kept) == kept);
  CHECK(with_plain_spaces("\uFEFFone\uFEFFtwo \uFF01") == "onetwo \uFF01");
}

TEST_CASE("Blank: a line of which a reader sees nothing", "[unit]") {
  // Zero-width space, joiners, word joiner, byte order mark, soft hyphen, marks of direction, a
  // Hangul filler, a variation selector, a bell, an empty braille cell.
  for (const char* line : {"", " ", "\u00A0\u3000", "\u200B", "\u200C\u200D", "\u2060 \uFEFF", "\u00AD",
                           "\u200E\u202B\u2069", "\u3164", "\uFE0F", "\a", "\u2800"})
    CHECK(is_blank(line));
  for (const char* line : {"a", "\u0301", "\u200B.", "\u200D\u4E2D", "\xFF", "\u061F", "\U0001F600"})
    CHECK_FALSE(is_blank(line));
}

TEST_CASE("Zero width: joiners of Persian, Hindi and emoji, and the letters of a flag, belong to the text",
          "[unit]") {
  for (const char32_t c : U"\u200B\u2060\uFEFF\u00AD") CHECK((c == 0 || is_zero_width(c)));
  for (const char32_t c : {U'\u200C', U'\u200D'}) CHECK((is_joiner(c) && !is_zero_width(c)));
  for (const char32_t c : U"\u200E\u200F\u202A\u202E\u2066\u2069\u061C")
    CHECK((c == 0 || (is_bidi_control(c) && !is_zero_width(c))));
  for (const char32_t c : U"\U000E0067\uFE0F a\u0301") CHECK_FALSE((is_zero_width(c) || is_bidi_control(c)));
}
