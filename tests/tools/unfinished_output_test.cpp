#include "tools/unfinished_output.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "tests/data/temporary_folder.h"

namespace xf::tools {

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
    if (read_file(path) != "a line\n") ++lost;
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
    const std::string before = read_file(notes);
    output.close();
    atomic_write(notes, before);
  }
  forget_inputs();  // of this process: one of them may have had the inode that `lines` has
  UnfinishedOutput again(path, "settings");
  CHECK(again.lines_done() == 0);
  CHECK(!std::filesystem::exists(notes));
  again.write_line("another");
  again.count(1);
  again.close();
  CHECK(read_file(path) == "another\n");
}

}  // namespace xf::tools
