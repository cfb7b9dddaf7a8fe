#include "tools/console/unfinished_output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "tests/data/errors.h"
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
  again.write_line("another");
  again.count(1);
  again.close();
  CHECK(read_file(path) == "another\n");
  CHECK(!std::filesystem::exists(notes));
}

TEST_CASE("UnfinishedOutput: a file of that name without notes is somebody's, whatever it is", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / "lines", begun = path + ".unfinished";
  folder.write("precious", "mine");
  const auto error = [&] { return tests::error_of([&] { UnfinishedOutput{path, "settings"}; }); };
  atomic_write(begun, "mine");
  CHECK(error() == "2: " + begun + ": exists, but " + begun +
                       ".json, which records its valid length, is missing; move it away, or remove it");
  CHECK(read_file(begun) == "mine");
  std::filesystem::remove(begun);
  std::filesystem::create_symlink("precious", begun);
  CHECK_THAT(error(), Catch::Contains("is a link"));
  std::filesystem::remove(begun);
  std::filesystem::create_symlink("precious", begun + ".json");
  CHECK_THAT(error(), Catch::Contains("not written by this program"));
  std::filesystem::remove(begun + ".json");
  for (const char* const theirs :
       {R"({"my": "data"})", "[]", R"({"lines": 3, "bytes": 4, "settings": 5})", ""}) {
    atomic_write(begun + ".json", theirs);
    CHECK_THAT(error(), Catch::Contains("not written by this program"));
    CHECK(read_file(begun + ".json") == theirs);
  }
  CHECK(read_file(folder / "precious") == "mine");
}

TEST_CASE("UnfinishedOutput: what replaces a file has its access, and one that may not be written stays",
          "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.write("lines", "before");
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  const bool is_root = geteuid() == 0;
  if (is_root) CHECK(chown(path.c_str(), 12345, 54321) == 0);
  UnfinishedOutput(path, "settings").close();
  struct stat after = {};
  CHECK(stat(path.c_str(), &after) == 0);
  CHECK((after.st_mode & 0777) == 0640);
  if (is_root) CHECK((after.st_uid == 12345 && after.st_gid == 54321));
  if (is_root) return;  // who may write everything
  std::filesystem::permissions(path, std::filesystem::perms(0444));
  CHECK_THAT(tests::error_of([&] { UnfinishedOutput{path, "settings"}; }), Catch::Contains("cannot write"));
}

TEST_CASE("UnfinishedOutput: notes come first, so that a kill at any moment leaves what can be gone on with",
          "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / "lines";
  { UnfinishedOutput begun(path, "settings"); }
  CHECK(std::filesystem::exists(path + ".unfinished.json"));
  atomic_write(path + ".unfinished", "half a li");  // as if killed before count() had ended
  CHECK(UnfinishedOutput(path, "settings").lines_done() == 0);
}

}  // namespace xf::tools
