// What is written out, and the columns of what is shown. Expected: Unicode's categories Cc and
// Bidi_Control (UAX 9), East_Asian_Width (UAX 11), and general categories Mn, Me and Cf, which take
// no column.
#include "data/display_text.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

using namespace xf::data;

TEST_CASE("Display text: what a terminal would obey is written out", "[unit]") {
  CHECK(printable("plain, ünï 漢字 \u05d0\u200f") == "plain, ünï 漢字 \u05d0\u200f");
  CHECK(printable("\x1b[31mred\x07\x7f") == "\\x1b[31mred\\x07\\u007f");
  CHECK(printable("a\u009b31m\u0085b") == "a\\u009b31m\\u0085b");  // C1: CSI and NEL
  CHECK(printable("gpj.\u202eexe \u2066x\u2069") == "gpj.\\u202eexe \\u2066x\\u2069");
  CHECK(printable("a\u2028b\u2029c\td\ne\rf") == "a\\u2028b\\u2029c\\x09d\\x0ae\\x0df");
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");
  CHECK(printable(std::string(1, '\0')) == "\\x00");
  CHECK(printable_page("a\tb\n\x1b[0m\r\n") == "a\tb\n\\x1b[0m\\x0d\n");
}

TEST_CASE("Display text: a page of JSON keeps its strings", "[unit]") {
  const std::string name = "a\x1b[31m\u009b\u202e\x7f\n漢";
  const std::string page = nlohmann::json(name).dump();
  CHECK(page != printable_page(page));
  CHECK(nlohmann::json::parse(printable_page(page)) == nlohmann::json(name));
}

TEST_CASE("Display text: wide characters take two columns, combined ones none", "[unit]") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("größe") == 5);
  CHECK(display_width("gro\u0308ße") == 5);
  CHECK(display_width("漢字かな한글") == 12);
  CHECK(display_width("ｆｕｌｌ") == 8);
  CHECK(display_width("क्षि") == 3);  // a consonant, a sign without a column, a consonant, a vowel
                                     // sign
  CHECK(display_width("\u1112\u1161\u11ab") == 2);  // Hangul in parts
  CHECK(display_width("🙂") == 2);
  CHECK(display_width("a\u200bb\u200d") == 2);
}

TEST_CASE("Display text: what fits is cut between characters, marks stay with theirs", "[unit]") {
  CHECK(fitting("abc", 2) == "ab");
  CHECK(fitting("abc", 3) == "abc");
  CHECK(fitting("漢字", 3) == "漢");
  CHECK(fitting("e\u0301e\u0301", 1) == "e\u0301");
  CHECK(fitting("abc", 0).empty());
  CHECK(fitting("abc", -5).empty());
  for (int columns = 0; columns < 14; ++columns)
    CHECK(display_width(fitting("ab漢字de한글é🙂x", columns)) <= columns);
}
