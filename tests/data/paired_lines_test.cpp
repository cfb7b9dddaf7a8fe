#include "data/paired_lines.h"

#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;
using tests::error_of;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs read(TextKind kind, const TextFiles& files) {
  PairedLines lines(kind, files);
  Pairs pairs;
  for (std::string source, target; lines.next(source, target);) pairs.emplace_back(source, target);
  CHECK(lines.line() == std::ssize(pairs));
  return pairs;
}

}  // namespace

TEST_CASE("Paired lines: of two files, of one, and of two columns", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string one = folder.write("one", "a b\r\n\ne"), two = folder.write("two", "c\nd\n\n");
  CHECK(read(TextKind::translation, {.paths = {one, two}}) == Pairs{{"a b", "c"}, {"", "d"}, {"e", ""}});
  CHECK(read(TextKind::target_only, {.paths = {one}}) == Pairs{{"", "a b"}, {"", ""}, {"", "e"}});
  const std::string columns = folder.write("columns", "a b\tc\r\n\td\ne\t");
  CHECK(read(TextKind::translation, {.paths = {columns}, .tsv = true}) ==
        Pairs{{"a b", "c"}, {"", "d"}, {"e", ""}});
}

TEST_CASE("Paired lines: what is read of the files is counted in bytes", "[unit]") {
  const tests::TemporaryFolder folder;
  PairedLines lines(TextKind::translation,
                    {.paths = {folder.write("one", "abc\n"), folder.write("two", "defgh\n")}});
  std::string source, target;
  while (lines.next(source, target)) continue;
  CHECK(lines.bytes_read() == 10);
}

TEST_CASE("Paired lines: a line of another number of columns than two is named", "[unit]") {
  const tests::TemporaryFolder folder;
  const auto refusal = [&](const std::string& text) {
    return error_of(
        [&] { read(TextKind::translation, {.paths = {folder.write("bad", text)}, .tsv = true}); });
  };
  const std::string bad = "3: " + (folder / "bad");
  CHECK_THAT(refusal("a\tb\nc d\n"), Catch::StartsWith(bad + ":2: 1 column, not 2; "));
  CHECK_THAT(refusal("a\tb\nc\td\te\n"), Catch::StartsWith(bad + ":2: 3 columns, not 2; "));
  CHECK_THAT(refusal("a\tb\n\n"), Catch::StartsWith(bad + ":2: 1 column, not 2; "));
  CHECK_THAT(refusal("a\tb\nc\tM\xE4nner\n"), Catch::StartsWith(bad + ":2: invalid UTF-8 at byte 4; "));
  CHECK_THAT(refusal(""), Catch::StartsWith(bad + ": is empty"));
  CHECK_THAT(
      error_of([&] { read(TextKind::labelled, {.paths = {folder.write("bad", "a\n")}, .tsv = true}); }),
      Catch::EndsWith("give lines of a text and its class with one tab between them"));
}

TEST_CASE("Paired lines: the file that is empty, or shorter, is told", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string none = folder.write("none", ""), three = folder.write("three", "a\nb\nc\n"),
                    five = folder.write("five", "a\nb\nc\nd\ne\n");
  const auto refusal = [&](const std::string& source, const std::string& target) {
    return error_of([&] { read(TextKind::translation, {.paths = {source, target}}); });
  };
  CHECK_THAT(refusal(none, three), Catch::StartsWith("3: " + none + ": is empty"));
  CHECK_THAT(refusal(three, none), Catch::StartsWith("3: " + none + ": is empty"));
  CHECK_THAT(refusal(three, five), Catch::Contains("have 3 and 5 lines"));
  CHECK_THAT(refusal(five, three), Catch::Contains("have 5 and 3 lines"));
}
