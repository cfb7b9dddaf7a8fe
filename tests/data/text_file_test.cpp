#include "data/text_file.h"

#include <zlib.h>

#include "core/file.h"
#include "data/unicode.h"
#include "tests/data/errors.h"
#include "tests/data/multi30k.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;
using tests::error_of;
using Lines = std::vector<std::string>;

namespace {

std::string write_gzip(const std::string& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return path;
}

}  // namespace

TEST_CASE("Lines: CRLF, a byte order mark and a missing last newline leave no trace", "[unit]") {
  const tests::TemporaryFolder folder;
  CHECK(read_lines(folder.write("lf", "a\n\nb\n")) == Lines{"a", "", "b"});
  CHECK(read_lines(folder.write("crlf", "a\r\n\r\nb\r\n")) == Lines{"a", "", "b"});
  CHECK(read_lines(folder.write("no newline", "a\nb")) == Lines{"a", "b"});
  CHECK(read_lines(folder.write("crlf, no newline", "a\r\nb\r")) == Lines{"a", "b"});
  CHECK(read_lines(folder.write("mark",
                                "\xEF\xBB\xBF"
                                "a\n\xEF\xBB\xBF"
                                "b\n")) == Lines{"a",
                                                 "\xEF\xBB\xBF"
                                                 "b"});
  CHECK(read_lines(folder.write("one empty line", "\n")) == Lines{""});
  CHECK(read_lines(folder.write("inner CR, NBSP",
                                "a\rb\xC2\xA0"
                                "c\n")) == Lines{"a\rb\xC2\xA0"
                                                 "c"});
}

TEST_CASE("Lines: a gzip file reads like the plain one, whatever its name", "[unit]") {
  const tests::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "line " + std::to_string(i) + "\n";  // several buffers
  const Lines plain = read_lines(folder.write("plain", text));
  CHECK(plain.size() == 20000);
  CHECK(plain.back() == "line 19999");
  CHECK(read_lines(write_gzip(folder / "text.gz", text)) == plain);
  CHECK(read_lines(write_gzip(folder / "text", text)) == plain);
}

TEST_CASE("Lines: a truncated gzip file is an error, not a short text", "[unit]") {
  const tests::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string bytes = read_file(write_gzip(folder / "whole.gz", text));
  const std::string path = folder.write("cut.gz", bytes.substr(0, bytes.size() / 2));
  CHECK_THAT(error_of([&] { read_lines(path); }),
             Catch::StartsWith("3: " + path + ": cannot read after line "));
}

TEST_CASE("Lines: gzip files one behind the other are one text, other bytes behind them are not passed over",
          "[unit]") {
  const tests::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  const Lines lines = read_lines(folder.write("plain", text));
  const std::string packed = read_file(write_gzip(folder / "packed", text));
  const Lines twice = read_lines(folder.write("twice", packed + packed));
  CHECK(twice.size() == 40000);
  CHECK(Lines(twice.begin() + 20000, twice.end()) == lines);
  const std::string zeros(100000, '\0');
  CHECK(read_lines(folder.write("padded", packed + zeros)) == lines);
  for (const std::string& rest : {std::string("text\n"), zeros + "text\n", std::string("\x1F")}) {
    const std::string path = folder.write("mixed", packed + rest);
    CHECK_THAT(error_of([&] { read_lines(path); }),
               Catch::Contains("not compressed follows the compressed text"));
  }
  for (const size_t size : {size_t{2}, size_t{9}, packed.size() - 1}) {
    const std::string path = folder.write("cut", packed.substr(0, size));
    CHECK_THAT(error_of([&] { read_lines(path); }), Catch::Contains("ends too early"));
  }
  CHECK(read_lines(folder.write("one byte", "\x1F")) == Lines{"\x1F"});
}

TEST_CASE("Lines: what never ends a line is no text", "[unit]") {
  CHECK_THAT(error_of([&] { read_lines("/dev/zero"); }),
             Catch::StartsWith("3: /dev/zero:1: the line is longer"));
}

TEST_CASE("Lines: one of a megabyte is one line", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string line(1 << 20, 'x');
  CHECK(read_lines(folder.write("long", "a\n" + line + "\nb\n")) == Lines{"a", line, "b"});
}

TEST_CASE("Lines: invalid UTF-8 is named by file, line and byte", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.write("bad", "good\nM\xC3\xA4nner\nMa\xE4nner\n");
  CHECK_THAT(error_of([&] { read_lines(path); }),
             Catch::StartsWith("3: " + path + ":3: invalid UTF-8 at byte 3; "));
  CHECK(read_raw_lines(path).size() == 3);
}

TEST_CASE("Lines: a missing file, a folder and an empty file are errors of the data that name the path",
          "[unit]") {
  const tests::TemporaryFolder folder;
  CHECK_THAT(error_of([&] { read_lines(folder / "none"); }), Catch::StartsWith("3: " + (folder / "none")));
  CHECK_THAT(error_of([&] { read_lines(folder / "."); }), Catch::Contains("is a folder"));
  const std::string empty = folder.write("empty", "");
  CHECK_THAT(error_of([&] { read_lines(empty); }), Catch::StartsWith("3: " + empty + ": is empty"));
  CHECK(read_raw_lines(empty).empty());
}

TEST_CASE("Lines: Multi30k has the published numbers of lines", "[unit]") {
  const auto folder = tests::multi30k();
  if (!folder) return;
  for (const char* side : {"en", "de"}) {
    CHECK(read_lines(*folder + "train." + side).size() == 29000);
    CHECK(read_lines(*folder + "val." + side).size() == 1014);
    CHECK(read_lines(*folder + "test_2016_flickr." + side).size() == 1000);
  }
}
