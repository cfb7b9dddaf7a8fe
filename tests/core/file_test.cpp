#include "core/file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <thread>
#include <utility>

#include "core/file_writer.h"
#include "core/folder_writer.h"
#include "core/stored_file.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using tests::error_of;

namespace {

// Of files that this process writes; the signal that tells of it is ignored. Returns the limit so
// far.
rlim_t limit_file_size(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = {};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlim_t before = std::exchange(limit.rlim_cur, bytes);
  setrlimit(RLIMIT_FSIZE, &limit);
  return before;
}

std::set<std::string> entries(const tests::TemporaryFolder& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder / ""))
    names.insert(entry.path().filename());
  return names;
}

// Which call from now on fails, 1 the next one; 0: none does.
struct Failing {
  int exchange = 0, rename = 0, fsync = 0;
} failing;

bool fails(int& call, int why) {
  if (call == 0 || --call > 0) return false;
  errno = why;
  return true;
}

}  // namespace

// In place of the C library's.
extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                         unsigned flags) noexcept {
  if (fails(failing.exchange, EINVAL)) return -1;
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
extern "C" int rename(const char* from, const char* to) noexcept {
  if (fails(failing.rename, EIO)) return -1;
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
extern "C" int fsync(int file) {
  if (fails(failing.fsync, EIO)) return -1;
  return static_cast<int>(syscall(SYS_fsync, file));
}

namespace {

void write_text_folder(const std::string& folder, const std::string& text) {
  write_folder(folder, [&](const std::string& temporary) { std::ofstream(temporary + "/file") << text; });
}

}  // namespace

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
  const rlim_t before = limit_file_size(4);
  CHECK_THAT(error_of([&] { atomic_write(path, "newer"); }), Catch::StartsWith("5: " + path));
  limit_file_size(before);
  CHECK(read_file(path) == "old");
  CHECK(entries(folder) == std::set<std::string>{"file"});
  CHECK_THAT(error_of([&] { atomic_write(folder / "no/such/file", "x"); }), Catch::StartsWith("5: "));
  CHECK_FALSE(std::filesystem::exists(folder / "no"));
}

TEST_CASE("Files: what has just been opened for writing is not taken for what another trainer left",
          "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / "file";
  std::atomic<bool> over = false;
  std::thread cleaner([&] {
    while (!over) remove_abandoned(path);
  });
  std::string error;
  for (int i = 0; i < 300 && error.empty(); ++i) {
    try {
      FileWriter writer(path);
      writer.write("x");
      writer.commit();
    } catch (const Error& thrown) {
      error = thrown.what();
    }
  }
  over = true;
  cleaner.join();
  CHECK(error.empty());
}

TEST_CASE("Folders: a write that fails leaves the old folder and no debris, wherever it fails", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / "made";
  write_text_folder(path, "old");
  const auto error = [&](Failing at) {
    failing = at;
    const std::string said = error_of([&] { write_text_folder(path, "new"); });
    failing = {};
    return said;
  };
  // Where folders cannot be exchanged, the second and the third rename move the old one away and
  // the new one there.
  for (const Failing& at : {Failing{.rename = 1}, Failing{.fsync = 1}, Failing{.exchange = 1, .rename = 2},
                            Failing{.exchange = 1, .rename = 3}}) {
    CHECK_THAT(error(at), Catch::StartsWith("5: " + path));
    CHECK(read_file(path + "/file") == "old");
    CHECK(entries(folder) == std::set<std::string>{"made"});
  }
  CHECK_THAT(error({.fsync = 2}),
             Catch::Contains("cannot sync the folder"));  // where the new one lies already
  CHECK(read_file(path + "/file") == "new");
  CHECK(read_file(path + ".tmp/file") == "old");
  CHECK(error({.exchange = 1}) == "no error");
  CHECK(entries(folder) == std::set<std::string>{"made"});
}

TEST_CASE("Files: a missing file or a folder is an error of the data that names it", "[unit]") {
  const tests::TemporaryFolder folder;
  CHECK_THAT(error_of([&] { read_file(folder / "none"); }), Catch::StartsWith("3: " + (folder / "none")));
  CHECK_THAT(error_of([&] { read_file(folder / "."); }), Catch::Contains("is a folder"));
}

TEST_CASE(
    "Files: until it is committed, nothing shows of a file in the making, "
    "and nothing is left of one given up",
    "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.write("file", "old");
  {
    FileWriter writer(path);
    writer.write("half");
    CHECK(read_file(path) == "old");
  }
  CHECK(entries(folder) == std::set<std::string>{"file"});
  FileWriter first(path), second(path);
  first.write("first");
  second.write("second");
  second.commit();
  CHECK(read_file(path) == "second");
  first.commit();
  CHECK(read_file(path) == "first");
  CHECK(entries(folder) == std::set<std::string>{"file"});
}

TEST_CASE("Files: a link stays and its target is written, also one that was not there", "[unit]") {
  namespace fs = std::filesystem;
  const tests::TemporaryFolder folder;
  fs::create_directory(folder / "far");
  fs::create_symlink("far/file", folder / "link");
  fs::create_symlink(folder / "link", folder / "link to link");
  for (const char* text : {"new", "replaced"}) {
    atomic_write(folder / "link to link", text);
    CHECK(read_file(folder / "far/file") == text);
    CHECK(fs::is_symlink(folder / "link"));
  }
  fs::create_symlink("endless", folder / "endless");
  CHECK_THAT(error_of([&] { atomic_write(folder / "endless", "x"); }),
             Catch::StartsWith("5: " + (folder / "endless")));
  CHECK_THAT(error_of([&] { atomic_write(folder / "far", "x"); }), Catch::Contains("Is a directory"));
}

TEST_CASE("Files: one that is replaced keeps its permissions, a new one gets those that the umask leaves",
          "[unit]") {
  namespace fs = std::filesystem;
  const tests::TemporaryFolder folder;
  const std::string path = folder.write("file", "old");
  fs::permissions(path, fs::perms(0604));
  const mode_t before = umask(027);
  atomic_write(path, "new");
  atomic_write(folder / "other", "new");
  umask(before);
  CHECK(fs::status(path).permissions() == fs::perms(0604));
  CHECK(fs::status(folder / "other").permissions() == fs::perms(0640));
}

TEST_CASE("Files: a device stays a device", "[unit]") {
  const tests::TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/null",
                                  folder / "null");  // of a link nothing worse than the link is
                                                     // lost
  atomic_write(folder / "null", "gone");
  CHECK(std::filesystem::is_character_file(folder / "null"));
}

TEST_CASE("Files: what this process reads is known as an input under every name", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.write("input", "text");
  read_file(path);
  std::filesystem::create_hard_link(path, folder / "hard");
  std::filesystem::create_symlink("input", folder / "soft");
  for (const std::string& name : {path, folder / "./input", folder / "hard", folder / "soft"})
    CHECK_THAT(error_of([&] { refuse_input_as_output(name); }),
               Catch::StartsWith("2: " + name + ": is an input as well"));
  refuse_input_as_output(folder / "none");
}

TEST_CASE("Files: git-lfs's pointer to a file is not taken for the file", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.write(
      "model.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 312\n");
  for (const auto& read : {std::function([&] { read_file(path); }), std::function([&] { StoredFile{path}; })})
    CHECK(error_of(read) ==
          "3: " + path +
              ": is a git-lfs pointer, not the file itself; install git-lfs, and run git lfs pull in its "
              "folder");
}
