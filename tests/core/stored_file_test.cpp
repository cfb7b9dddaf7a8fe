#include "core/stored_file.h"

#include <sys/stat.h>

#include <filesystem>

#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using tests::error_of;

TEST_CASE("Stored file: any part of it, and the checksum of all", "[unit]") {
  const tests::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i);  // over a megabyte
  const StoredFile file(folder.write("text", text));
  CHECK(file.size() == std::ssize(text));
  CHECK(file.bytes() == text);
  CHECK(file.bytes(700'000, 17) == text.substr(700'000, 17));
  CHECK(file.bytes(file.size(), 0).empty());
  Crc64 crc;
  crc.add(text);
  CHECK(file.checksum() == crc);
  CHECK(StoredFile(folder.write("empty", "")).checksum() == Crc64());
}

TEST_CASE("Stored file: one that is cut short while it is read is an error that says so", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.write("file", std::string(100'000, 'x'));
  const StoredFile file(path);
  std::filesystem::resize_file(path, 10);
  CHECK(file.bytes(0, 10) == std::string(10, 'x'));
  const std::string expected =
      "3: " + path +
      ": was truncated while it was read: it has 10 bytes, and had 100000; run the same command again when "
      "it is complete";
  CHECK(error_of([&] { file.bytes(); }) == expected);
  CHECK(error_of([&] { file.checksum(); }) == expected);
  CHECK(error_of([&] { file.bytes(99'000, 1); }) == expected);
  folder.write("file", "");
  CHECK_THAT(error_of([&] { file.bytes(0, 10); }), Catch::Contains("it has 0 bytes"));
}

TEST_CASE("Stored file: one that takes another's place by its name does not change what is read", "[unit]") {
  const tests::TemporaryFolder folder;
  const StoredFile file(folder.write("file", "old"));
  std::filesystem::rename(folder.write("new", "n"), folder / "file");
  CHECK(file.bytes() == "old");
}

TEST_CASE("Stored file: what is not a regular file is refused, and nobody waits for a pipe's writer",
          "[unit]") {
  const tests::TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  std::filesystem::create_directory(folder / "folder");
  for (const std::string& path : {folder / "pipe", folder / "folder", std::string("/dev/null")})
    CHECK(error_of([&] { StoredFile{path}; }) == "3: " + path + ": is not a regular file; name a file");
  CHECK(error_of([&] { StoredFile{folder / "none"}; }) ==
        "3: " + (folder / "none") + ": cannot open: No such file or directory; check the path");
  folder.write("file", "text");
  std::filesystem::create_symlink("file", folder / "link");
  CHECK(StoredFile(folder / "link").bytes() == "text");
  CHECK(error_of([&] { StoredFile(folder / "link", StoredFile::Links::refused); }) ==
        "3: " + (folder / "link") + ": is a link; name a file");
}
