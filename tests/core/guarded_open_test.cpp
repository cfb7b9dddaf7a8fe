#include "core/guarded_open.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "core/file.h"
#include "core/file_writer.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using tests::error_of;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kOther = 12345, kOwner = 54321;

// A folder as /tmp is, of kOwner, where kOther has put a link to `target`, a pipe and a file. Needs
// root.
struct SharedFolder {
  tests::TemporaryFolder around;
  std::string path = around / "shared", target = around.write("target", "precious");

  SharedFolder() {
    fs::create_directory(path);
    chmod(path.c_str(), 01777);
    own(path, kOwner);
    fs::create_symlink(target, path + "/link");
    mkfifo((path + "/pipe").c_str(), 0666);
    around.write("shared/file", "theirs");
    for (const char* name : {"link", "pipe", "file"}) own(path + "/" + name, kOther);
  }
  static void own(const std::string& file, uid_t user) {
    if (lchown(file.c_str(), user, static_cast<gid_t>(-1)) != 0) FAIL("lchown: " << file);
  }
};

bool needs_root() {
  if (geteuid() == 0) return false;
  fmt::print("[skipped] only root can make files of other users\n");
  return true;
}

}  // namespace

TEST_CASE("Files: one of a folder that may be a stranger's is regular, and a pipe is not waited for",
          "[unit]") {
  const tests::TemporaryFolder folder;
  folder.write("file", "text");
  fs::create_symlink("file", folder / "link");
  mkfifo((folder / "pipe").c_str(), 0666);
  CHECK(read_regular_file(folder / "link") == "text");
  CHECK(error_of([&] { read_regular_file(folder / "pipe"); }) ==
        "3: " + (folder / "pipe") + ": is not a regular file; name a file");
  CHECK_THAT(error_of([&] { read_regular_file("/dev/zero"); }), Catch::Contains("is not a regular file"));
  CHECK_THAT(error_of([&] { read_regular_file(folder / "."); }), Catch::Contains("is a folder"));
  CHECK_THAT(error_of([&] { read_regular_file(folder / "none"); }), Catch::Contains("cannot open"));
}

TEST_CASE("Files: what a run appends to is its own, under one name, and regular", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string precious = folder.write("precious", "text");
  fs::create_symlink("precious", folder / "link");
  fs::create_symlink("none", folder / "dangling");
  fs::create_hard_link(precious, folder / "hard");
  mkfifo((folder / "pipe").c_str(), 0666);
  fs::create_directory(folder / "folder");
  const auto error = [&](const std::string& name) {
    return error_of([&] { open_part(folder / name, O_WRONLY | O_APPEND); });
  };
  CHECK(error("link") ==
        "5: " + (folder / "link") + ": is a link, which is not followed for writing; remove it");
  CHECK_THAT(error("dangling"), Catch::Contains("is a link"));
  CHECK(error("hard") == "no error");  // a copy has its place now
  CHECK(fs::hard_link_count(precious) == 1);
  CHECK(read_file(folder / "hard") == "text");
  CHECK_THAT(error("pipe"), Catch::Contains("is not a regular file"));
  CHECK_THAT(error("folder"), Catch::Contains("Is a directory"));
  CHECK_THAT(error("none/file"), Catch::Contains("No such file"));
  CHECK_FALSE(fs::exists(folder / "none"));
  CHECK(error("new") == "no error");
  CHECK(error("new") == "no error");  // which is there now
}

TEST_CASE("Files: a name that nobody has given is taken from a link, a pipe or a device", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string precious = folder.write("precious", "text");
  fs::create_symlink("precious", folder / "link");
  fs::create_symlink("endless", folder / "endless");
  fs::create_hard_link(precious, folder / "hard");
  mkfifo((folder / "pipe").c_str(), 0666);
  for (const char* name : {"link", "endless", "hard", "pipe"}) {
    atomic_write(folder / name, "new", Existing::replaced);
    CHECK(fs::is_regular_file(fs::symlink_status(folder / name)));
    CHECK(read_file(folder / name) == "new");
  }
  CHECK(read_file(precious) == "text");
}

TEST_CASE("Files: what another user has put into a shared folder is neither followed nor replaced",
          "[unit]") {
  if (needs_root()) return;
  const SharedFolder shared;
  for (const char* const name : {"link", "pipe", "file"}) {
    const std::string path = shared.path + "/" + name;
    for (const Existing existing : {Existing::followed, Existing::replaced})
      CHECK_THAT(error_of([&] { atomic_write(path, "x", existing); }),
                 Catch::StartsWith("5: " + path + ": is another user's"));
    CHECK_THAT(error_of([&] { open_part(path, O_WRONLY); }), Catch::Contains("is another user's"));
  }
  fs::create_symlink("shared/link", shared.around / "our link to it");
  CHECK_THAT(error_of([&] { atomic_write(shared.around / "our link to it", "x"); }),
             Catch::Contains("shared/link: is another user's link"));
  CHECK(read_file(shared.target) == "precious");
  CHECK(read_file(shared.path + "/file") == "theirs");
}

TEST_CASE("Files: no folder of a path is another user's link, however it is written", "[unit]") {
  if (needs_root()) return;
  const SharedFolder shared;
  fs::create_directories(shared.around / "ours/inner");
  fs::remove(shared.path + "/link");
  fs::create_symlink(shared.around / "ours", shared.path + "/link");
  fs::create_symlink("shared/link/inner", shared.around / "to inner");
  SharedFolder::own(shared.path + "/link", kOther);
  for (const std::string& path : {shared.path + "/link/new", shared.path + "//link/./inner/../new",
                                  shared.path + "/link/inner/new", shared.around / "to inner/new"})
    CHECK_THAT(error_of([&] { atomic_write(path, "x"); }),
               Catch::Contains("shared/link: is another user's link"));
  const fs::path before = fs::current_path();
  fs::current_path(shared.path);
  CHECK_THAT(error_of([] { atomic_write("link/new", "x"); }),
             Catch::StartsWith("5: link: is another user's link"));
  fs::current_path(before);
  CHECK_FALSE(fs::exists(shared.around / "ours/new"));
  SharedFolder::own(shared.path + "/link", kOwner);
  atomic_write(shared.path + "/link/new", "x");
  CHECK(fs::exists(shared.around / "ours/new"));
}

TEST_CASE("Files: in a shared folder our own links and its owner's are followed", "[unit]") {
  if (needs_root()) return;
  const SharedFolder shared;
  for (const uid_t user : {geteuid(), kOwner}) {
    SharedFolder::own(shared.path + "/link", user);
    const std::string text = fmt::format("of {}", user);
    atomic_write(shared.path + "/link", text);
    CHECK(read_file(shared.target) == text);
  }
  SharedFolder::own(shared.path + "/link", kOther);
  chmod(shared.path.c_str(), 0777);  // where all may do everything there is nothing to guard
  atomic_write(shared.path + "/link", "followed");
  CHECK(read_file(shared.target) == "followed");
}

TEST_CASE("Files: a pipe with the name of a temporary file is not waited for", "[unit]") {
  const tests::TemporaryFolder folder;
  mkfifo((folder / ".xformer-0123456789abcdef.tmp").c_str(), 0666);
  folder.write(".xformer-fedcba9876543210.tmp", "abandoned");
  remove_abandoned(folder / "file");
  CHECK_FALSE(fs::exists(folder / ".xformer-fedcba9876543210.tmp"));
}
