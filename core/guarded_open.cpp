#include "core/guarded_open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.h"

namespace xf {
namespace {

constexpr int kNeverWait = O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

}  // namespace

Descriptor open_regular(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | kNeverWait));
  struct stat status = {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0)
    fail(ErrorKind::data, "{}: cannot open: {}; check the path", path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(ErrorKind::data, "{}: is a folder; name a file in it", path);
  if (!S_ISREG(status.st_mode)) fail(ErrorKind::data, "{}: is no regular file; name a file", path);
  return file;
}

Descriptor open_part(const std::string& path, int flags) {
  refuse_planted(path);
  Descriptor file(::open(path.c_str(), flags | O_CREAT | O_NOFOLLOW | kNeverWait, 0666));
  struct stat status = {};
  const bool opened = file.is_open() && ::fstat(file.number(), &status) == 0;
  const int reason = errno;
  if (!opened && reason == ELOOP)
    fail(ErrorKind::resources, "{}: is a link, and what it leads to is not written; remove it", path);
  if (!opened && reason != ENXIO) {
    fail(ErrorKind::resources, "{}: cannot open: {}; choose a folder you may write to", path,
         std::strerror(reason));
  }
  if (!opened || !S_ISREG(status.st_mode))  // ENXIO: a pipe without a reader, a socket
    fail(ErrorKind::resources, "{}: is no regular file; remove it", path);
  if (status.st_nlink > 1)
    fail(ErrorKind::resources, "{}: has another name as well (a hard link); put a copy in its place", path);
  return file;
}

void refuse_planted(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  struct stat there = {}, around = {};
  if (::lstat(path.c_str(), &there) != 0 || ::stat(folder.empty() ? "." : folder.c_str(), &around) != 0)
    return;
  const bool everybody_may = (around.st_mode & S_ISVTX) != 0 && (around.st_mode & S_IWOTH) != 0;
  if (!everybody_may || S_ISDIR(there.st_mode) || there.st_uid == ::geteuid() ||
      there.st_uid == around.st_uid)
    return;
  const char* const what = S_ISLNK(there.st_mode)   ? "link"
                           : S_ISREG(there.st_mode) ? "file"
                                                    : "pipe or device";
  fail(ErrorKind::resources,
       "{}: is another user's {} in a folder where everybody may write; give another name or another folder",
       path, what);
}

}  // namespace xf
