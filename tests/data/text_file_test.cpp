#include "data/text_file.h"

#include <zlib.h>
#include <zstd.h>

#include <map>

#include "data/encoding.h"
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

std::string gzip(const std::string& text) {
  z_stream deflater = {};
  constexpr int kGzipOnly = 16;  // zlib's flag
  REQUIRE(deflateInit2(&deflater, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipOnly, 8,
                       Z_DEFAULT_STRATEGY) == Z_OK);
  std::string bytes(deflateBound(&deflater, text.size()), '\0');
  deflater.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
  deflater.avail_in = static_cast<unsigned>(text.size());
  deflater.next_out = reinterpret_cast<unsigned char*>(bytes.data());
  deflater.avail_out = static_cast<unsigned>(bytes.size());
  REQUIRE(deflate(&deflater, Z_FINISH) == Z_STREAM_END);
  bytes.resize(deflater.total_out);
  deflateEnd(&deflater);
  return bytes;
}

// With a checksum, as the program zstd writes it.
std::string zstandard(const std::string& text) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress2(context, bytes.data(), bytes.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return bytes;
}

const std::map<std::string, std::string (*)(const std::string&)> kPackers = {{"gzip", gzip},
                                                                             {"zstandard", zstandard}};

// More than a few buffers of them.
std::string many_lines() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
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

TEST_CASE("Lines: a packed file reads like the plain one, whatever its name", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string text = many_lines();
  const Lines plain = read_lines(folder.write("plain", text));
  CHECK(plain.size() == 20000);
  CHECK(plain.back() == "158372081");
  for (const auto& [format, pack] : kPackers) {
    INFO(format);
    CHECK(read_lines(folder.write("text.packed", pack(text))) == plain);
    CHECK(read_lines(folder.write("text", pack(text))) == plain);
    CHECK(read_raw_lines(folder.write("nothing", pack(""))).empty());
  }
}

TEST_CASE("Lines: a truncated packed file is an error, not a short text", "[unit]") {
  const tests::TemporaryFolder folder;
  for (const auto& [format, pack] : kPackers) {
    INFO(format);
    const std::string bytes = pack(many_lines());
    const std::string path = folder.write("cut", bytes.substr(0, bytes.size() / 2));
    CHECK_THAT(error_of([&] { read_lines(path); }),
               Catch::StartsWith("3: " + path + ": cannot read after line "));
    for (const size_t size : {size_t{4}, size_t{9}, bytes.size() - 1}) {
      folder.write("cut", bytes.substr(0, size));
      CHECK_THAT(error_of([&] { read_lines(path); }), Catch::Contains("ends too early"));
    }
  }
}

TEST_CASE("Lines: a packed file with a flipped bit is an error or the same text", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string text = many_lines().substr(0, 3000);
  const Lines lines = read_lines(folder.write("plain", text));
  for (const auto& [format, pack] : kPackers) {
    INFO(format);
    const std::string whole = pack(text);
    for (size_t byte = 4; byte < whole.size();
         byte += 5) {  // behind the mark, without which it is no packed file
      std::string bytes = whole;
      bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << (byte % 8)));
      const std::string path = folder.write("flipped", bytes);
      Lines read = lines;
      const std::string error = error_of([&] { read = read_lines(path); });
      INFO(byte << ": " << error);
      REQUIRE((error == "no error" || error.starts_with("3: " + path + ": cannot read after line ")));
      REQUIRE(read == lines);
    }
  }
}

TEST_CASE(
    "Lines: packed files one behind the other are one text, other bytes behind them are not passed over",
    "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string text = many_lines(), zeros(100000, '\0');
  const Lines lines = read_lines(folder.write("plain", text));
  for (const auto& [format, pack] : kPackers) {
    INFO(format);
    const std::string packed = pack(text);
    for (const auto& [other, pack_other] : kPackers) {
      const Lines twice = read_lines(folder.write("twice", packed + pack_other(text)));
      CHECK(twice.size() == 40000);
      CHECK(Lines(twice.begin() + 20000, twice.end()) == lines);
    }
    CHECK(read_lines(folder.write("with nothing between", packed + pack("") + packed)).size() == 40000);
    CHECK(read_lines(folder.write("padded", packed + zeros)) == lines);
    for (const std::string& rest :
         {std::string("text\n"), zeros + "text\n", std::string("\x1F"), std::string("\x28\xB5")}) {
      const std::string path = folder.write("mixed", packed + rest);
      CHECK_THAT(error_of([&] { read_lines(path); }),
                 Catch::Contains("uncompressed bytes follow the compressed text"));
    }
  }
  CHECK(read_lines(folder.write("one byte", "\x1F")) == Lines{"\x1F"});
  CHECK(read_lines(folder.write("a bracket", "(")) == Lines{"("});  // 0x28, a frame's first byte
}

// RFC 8878, section 3.1.2: magic number 0x184D2A50 to 5F, size, that many bytes of anybody's. pzstd
// writes such frames.
TEST_CASE("Lines: Zstandard's skippable frames are skipped, also at the start", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string text = "one\ntwo\n", frame = std::string("\x57\x2A\x4D\x18\x03\0\0\0abc", 11);
  CHECK(read_lines(folder.write("skip", frame + zstandard(text) + frame + zstandard(text))) ==
        Lines{"one", "two", "one", "two"});
}

TEST_CASE("Lines: a Zstandard frame that needs gigabytes of memory is refused", "[unit]") {
  const tests::TemporaryFolder folder;
  // RFC 8878, section 3.1.1.1: descriptor 0 (no size, no single segment), window 2^(10 + 21) bytes.
  const std::string frame("\x28\xB5\x2F\xFD\x00\xA8\x01\x00\x00", 9);
  CHECK_THAT(error_of([&] { read_lines(folder.write("wide", frame)); }), Catch::Contains("too much memory"));
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

// Of UTF-16 without a byte order mark, which ASCII text in it is valid UTF-8 of.
TEST_CASE("Lines: a NUL is named by file, line and byte, and as what it comes of", "[unit]") {
  const tests::TemporaryFolder folder;
  using namespace std::string_literals;
  const std::string big = folder.write("be", "\0A\0\n\0b\0\n"s),
                    little = folder.write("le", "A\0\n\0b\0\n\0"s);
  CHECK_THAT(error_of([&] { read_lines(big); }),
             Catch::StartsWith("3: " + big + ":1: a NUL at byte 1: UTF-16, ") && Catch::Contains("iconv"));
  CHECK_THAT(error_of([&] { read_lines(little); }),
             Catch::StartsWith("3: " + little + ":1: a NUL at byte 2: "));
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

TEST_CASE(
    "Lines: one that is longer than a line of text is refused with its number, packed or in another encoding",
    "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string longest(size_t{1} << 20, 'a'), text = "one\n" + longest + "\n",
                                                   longer = "one\n" + longest + "b\n";
  const std::string refusal = ":2: the line is longer than 1 MB; give a text with one sentence a line";
  CHECK(read_lines(folder.write("fits", text)) == Lines{"one", longest});
  CHECK(read_lines_in("latin-1", folder.write("latin", text)) == Lines{"one", longest});
  CHECK_THAT(error_of([&] { read_lines(folder.write("long", longer)); }), Catch::EndsWith("long" + refusal));
  CHECK_THAT(error_of([&] { read_lines_in("latin-1", folder.write("latin", longer)); }),
             Catch::EndsWith("latin" + refusal));
  for (const auto& [name, pack] : kPackers)
    CHECK_THAT(error_of([&] { read_lines(folder.write("packed", pack(longer))); }),
               Catch::EndsWith("packed" + refusal));
}
