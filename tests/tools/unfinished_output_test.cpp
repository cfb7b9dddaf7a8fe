#include "tools/unfinished_output.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "tests/data/temporary_folder.h"

namespace xf::tools {

namespace {

// Not read_file: what it has read is no output of this process any more, and the next file may get its inode.
std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("UnfinishedOutput: who begins while another gives the file its name leaves it whole", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / "lines";
  int lost = 0;  // one in seventeen, when the lock was given up before
  for (int round = 0; round < 100; ++round) {
    std::atomic<bool> done = false;
    UnfinishedOutput output(path, "settings");
    output.write_line("a line");
    output.count(1);
    std::thread other([&] {
      while (!done) {
        try {
          UnfinishedOutput begun(path, "settings");
          break;
        } catch (const Error&) {  // another process is writing it
        }
      }
    });
    output.close();
    done = true;
    other.join();
    if (content_of(path) != "a line\n") ++lost;
    for (const auto& file : std::filesystem::directory_iterator(folder / ""))
      std::filesystem::remove(file.path());
  }
  CHECK(lost == 0);
}

TEST_CASE("UnfinishedOutput: what was killed when the file had its name begins anew", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / "lines", notes = path + ".unfinished.json";
  {
    UnfinishedOutput output(path, "settings");
    output.write_line("a line");
    output.count(1);
    const std::string before = content_of(notes);
    output.close();
    atomic_write(notes, before);
  }
  UnfinishedOutput again(path, "settings");
  CHECK(again.lines_done() == 0);
  CHECK(!std::filesystem::exists(notes));
  again.write_line("another");
  again.count(1);
  again.close();
  CHECK(content_of(path) == "another\n");
}

}  // namespace xf::tools
