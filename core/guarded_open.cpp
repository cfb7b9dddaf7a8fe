#include "core/guarded_open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/error.h"
#include "core/file.h"

namespace xf {
namespace {

namespace fs = std::filesystem;

constexpr int kNeverWait = O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

// The names of a path, the last one first.
std::vector<std::string> backwards(const fs::path& path) {
  std::vector<std::string> names;
  for (const fs::path& name : path.relative_path()) {
    if (!name.empty()) names.push_back(name.string());
  }
  std::ranges::reverse(names);
  return names;
}

bool is_planted(const struct stat& there, const struct stat& around) {
  const bool everybody_may = (around.st_mode & S_ISVTX) != 0 && (around.st_mode & S_IWOTH) != 0;
  return everybody_may && !S_ISDIR(there.st_mode) && there.st_uid != ::geteuid() &&
         there.st_uid != around.st_uid;
}

[[noreturn]] void fail_planted(const std::string& path, mode_t mode) {
  const char* const what = S_ISLNK(mode) ? "link" : S_ISREG(mode) ? "file" : "pipe or device";
  fail(ErrorKind::resources,
       "{}: is another user's {} in a world-writable folder; give another name or another folder",
       path.starts_with("./") ? path.substr(2) : path, what);
}

}  // namespace

Descriptor open_regular(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | kNeverWait));
  struct stat status = {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0)
    fail(ErrorKind::data, "{}: cannot open: {}; check the path", path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(ErrorKind::data, "{}: is a folder; name a file in it", path);
  if (!S_ISREG(status.st_mode)) fail(ErrorKind::data, "{}: is not a regular file; name a file", path);
  return file;
}

Descriptor open_part(const std::string& path, int flags) {
  refuse_planted(path);
  Descriptor file(::open(path.c_str(), flags | O_CREAT | O_NOFOLLOW | kNeverWait, 0666));
  struct stat status = {};
  const bool opened = file.is_open() && ::fstat(file.number(), &status) == 0;
  const int reason = errno;
  if (!opened && reason == ELOOP)
    fail(ErrorKind::resources, "{}: is a link, which is not followed for writing; remove it", path);
  if (!opened && reason != ENXIO) {
    fail(ErrorKind::resources, "{}: cannot open: {}; choose a folder you may write to", path,
         std::strerror(reason));
  }
  if (!opened || !S_ISREG(status.st_mode))  // ENXIO: a pipe without a reader, a socket
    fail(ErrorKind::resources, "{}: is not a regular file; remove it", path);
  if (status.st_nlink > 1) {  // of a copy by cp -al, say
    atomic_write(path, read_regular_file(path), Existing::replaced);
    return open_part(path, flags);
  }
  return file;
}

void refuse_planted(const std::string& path) {
  constexpr int kMostLinks = 40;  // of Linux: path_resolution(7)
  std::vector<std::string> rest = backwards(path);
  fs::path at = path.starts_with('/') ? "/" : ".";
  for (int links = 0; !rest.empty() && links <= kMostLinks;) {
    const fs::path next = at / rest.back();
    rest.pop_back();
    struct stat there = {}, around = {};
    if (::lstat(next.c_str(), &there) != 0 || ::stat(at.c_str(), &around) != 0) return;
    if (is_planted(there, around)) fail_planted(next.string(), there.st_mode);
    if (!S_ISLNK(there.st_mode)) {
      at = next;
      continue;
    }
    ++links;
    std::error_code unknown;
    const std::string target = fs::read_symlink(next, unknown).string();
    if (target.starts_with('/')) at = "/";
    const std::vector<std::string> more = backwards(target);
    rest.insert(rest.end(), more.begin(), more.end());
  }
}

}  // namespace xf
