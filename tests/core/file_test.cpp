#include "core/file.h"

#include <filesystem>

#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using tests::error_of;

TEST_CASE("Files: bytes written are the bytes read, zero bytes and all sizes included", "[unit]") {
  const tests::TemporaryFolder folder;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{65536}, size_t{200000}}) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i % 251);
    atomic_write(folder / "file", bytes);
    CHECK(read_file(folder / "file") == bytes);
  }
}

TEST_CASE("Files: a write that fails leaves the old file and no debris", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.write("file", "old");
  std::filesystem::create_directory(path + ".tmp");  // the temporary file cannot be made
  CHECK_THAT(error_of([&] { atomic_write(path, "new"); }), Catch::StartsWith("5: " + path));
  CHECK(read_file(path) == "old");
  CHECK_THAT(error_of([&] { atomic_write(folder / "no/such/file", "x"); }), Catch::StartsWith("5: "));
  CHECK_FALSE(std::filesystem::exists(folder / "no"));
}

TEST_CASE("Files: a missing file or a folder is an error of the data that names it", "[unit]") {
  const tests::TemporaryFolder folder;
  CHECK_THAT(error_of([&] { read_file(folder / "none"); }), Catch::StartsWith("3: " + (folder / "none")));
  CHECK_THAT(error_of([&] { read_file(folder / "."); }), Catch::Contains("is a folder"));
}
