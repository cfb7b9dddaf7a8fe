#include "core/folder_entries.h"

#include <sys/resource.h>

#include "core/folder_writer.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using tests::error_of;

namespace {

// While it lives, no file can be opened.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none = {0, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("Folder entries: a folder that cannot be listed is not an empty one", "[unit]") {
  const tests::TemporaryFolder folder;
  CHECK(entries_of(folder / "").empty());
  CHECK(entries_of(folder / "none").empty());
  const std::string file = folder.write("file", "text");
  CHECK(entries_of(folder / "").size() == 1);
  CHECK(entries_of(file).empty());
  std::string message;
  {
    const NoMoreFiles now;
    message = error_of([&] { entries_of(folder / ""); });
  }
  CHECK(message ==
        "5: " + (folder / "") +
            ": cannot list the folder: Too many open files; fix that, and run the same command again");
}

TEST_CASE("Folder writer: a leftover that cannot be removed is told with its reason", "[unit]") {
  const tests::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "there.tmp/left");
  std::string message;
  {
    const NoMoreFiles now;
    message = error_of([&] { write_folder(folder / "there", [](const std::string&) {}); });
  }
  CHECK_THAT(message, Catch::StartsWith("5: " + (folder / "there.tmp") +
                                        ": cannot make the folder: Too many open files; "));
}
