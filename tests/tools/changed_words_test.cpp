#include "tools/report/changed_words.h"

#include "tests/support/catch.h"

namespace {

// "a [b] c": what changed in brackets.
std::string marked(const std::string& before, const std::string& now) {
  std::string text;
  for (const auto& [word, changed] : xf::tools::changed_words(before, now))
    text += (text.empty() ? "" : " ") + (changed ? "[" + word + "]" : word);
  return text;
}

}  // namespace

TEST_CASE("Changed words: those outside the longest common subsequence, wherever the rest has moved to",
          "[unit]") {
  CHECK(marked("ein Hund rennt", "ein Hund rennt") == "ein Hund rennt");
  CHECK(marked("ein Hund rennt", "der Hund rennt schnell") == "[der] Hund rennt [schnell]");
  CHECK(marked("", "ein Hund") == "[ein] [Hund]");
  CHECK(marked("ein Hund", "") == "");
  CHECK(marked("a b c d", "c d a b") == "c d [a] [b]");
  CHECK(marked("x x x", "x y x") == "x [y] x");
}
