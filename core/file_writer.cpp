#include "core/file_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/guarded_open.h"

namespace xf {
namespace {

namespace fs = std::filesystem;

// ---- the temporary files of this process, for its sudden end

struct Temporaries {
  std::mutex mutex;
  std::set<std::string> paths;
};

Temporaries& temporaries() {
  static Temporaries all;
  return all;
}

void remove_temporaries() {
  const std::scoped_lock lock(temporaries().mutex);
  for (const std::string& path : temporaries().paths) ::unlink(path.c_str());
}

void remember_temporary(const std::string& path) {
  static const int registered = std::at_quick_exit(remove_temporaries);
  static_cast<void>(registered);
  const std::scoped_lock lock(temporaries().mutex);
  temporaries().paths.insert(path);
}

void forget_temporary(const std::string& path) {
  const std::scoped_lock lock(temporaries().mutex);
  temporaries().paths.erase(path);
}

// ---- where a path leads to

// The number N if `path` is /dev/fd/N, /proc/self/fd/N or another name of that entry.
std::optional<int> own_descriptor(const fs::path& path) {
  std::error_code ignored;
  const fs::path folder = fs::canonical(path.parent_path(), ignored);
  if (folder.empty() || folder != fs::canonical("/proc/self/fd", ignored)) return {};
  const std::string name = path.filename().string();
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return {};
  return number;
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

constexpr std::string_view kBeginning = ".xformer-", kEnding = ".tmp";

// Does not grow with the target's name, which may have the longest one that a file can have.
std::string random_name() {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) number = static_cast<uint64_t>(::getpid());
  return fmt::format("{}{:016x}{}", kBeginning, number, kEnding);
}

// Locks a new temporary file, so that remove_abandoned() lets it be. Another process may have taken
// it for an abandoned one before that: false when it is gone.
bool is_held(int file) {
  while (::flock(file, LOCK_EX) != 0 && errno == EINTR) {
  }
  struct stat status = {};
  return ::fstat(file, &status) != 0 || status.st_nlink > 0;
}

}  // namespace

std::string link_target(const std::string& path) {
  constexpr int kMostLinks = 40;  // of Linux: path_resolution(7)
  fs::path target = path;
  std::error_code ignored;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, ignored)); ++links) {
    if (links == kMostLinks) {
      errno = ELOOP;
      return "";
    }
    if (own_descriptor(target)) break;
    target = target.parent_path() / fs::read_symlink(target, ignored);
  }
  return target.string();
}

void take_access_of(const struct stat& existing, int file) {
  // Owner and group one by one: often only the second is allowed. The change clears bits of the
  // mode.
  static_cast<void>(::fchown(file, existing.st_uid, static_cast<gid_t>(-1)) == 0);
  static_cast<void>(::fchown(file, static_cast<uid_t>(-1), existing.st_gid) == 0);
  static_cast<void>(::fchmod(file, existing.st_mode & 0777) == 0);
}

FileWriter::FileWriter(const std::string& path, Existing existing)
    : path_(path), target_(existing == Existing::followed ? link_target(path) : path) {
  refuse_planted(path);
  if (target_.empty()) fail_to_write();
  struct stat status = {};
  const bool exists = ::lstat(target_.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail_to_write();
  const bool is_regular = exists && S_ISREG(status.st_mode);
  if (existing == Existing::replaced) {
    open_beside(is_regular ? &status : nullptr);
  } else if (own_descriptor(target_) || (exists && !is_regular)) {
    open_through();
  } else {
    open_beside(exists ? &status : nullptr);
  }
}

void FileWriter::open_through() {
  const auto own = own_descriptor(target_);
  file_ = own ? Descriptor(::fcntl(*own, F_DUPFD_CLOEXEC, 0))
              : open_or_stop(target_, O_WRONLY | O_NOCTTY | O_NOFOLLOW);
  if (!file_.is_open()) fail_to_write();
}

void FileWriter::open_beside(const struct stat* existing) {
  if (existing && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail_to_write();
  const mode_t mode = existing ? existing->st_mode & 0777 : 0666;
  do {
    temporary_ = folder_of(target_) + "/" + random_name();
    file_ = Descriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file_.is_open() && errno != EEXIST) fail_to_write();
  } while (!file_.is_open() || !is_held(file_.number()));
  remember_temporary(temporary_);
  if (existing) take_access_of(*existing, file_.number());
}

FileWriter::~FileWriter() {
  if (writes_through()) return;
  ::unlink(temporary_.c_str());
  forget_temporary(temporary_);
}

void FileWriter::fail_to_write() const {
  const int reason = errno;
  const char* const advice =
      reason == EISDIR ? "name a file in it" : "free some space or choose a folder you may write to";
  fail(ErrorKind::resources, "{}: cannot write: {}; {}", path_, std::strerror(reason), advice);
}

void FileWriter::keep_from_others() {
  struct stat status = {};
  if (::fstat(file_.number(), &status) != 0) return;
  static_cast<void>(::fchmod(file_.number(), status.st_mode & 07777 & ~(S_IWGRP | S_IWOTH)) == 0);
}

void FileWriter::write(std::string_view bytes) {
  const int number = file_.number();
  if (!(writes_through() ? write_or_stop(number, bytes) : write_all(number, bytes))) fail_to_write();
}

void FileWriter::commit() {
  if (writes_through()) {
    if (!file_.close_checked()) fail_to_write();
    return;
  }
  const Descriptor locked(::fcntl(file_.number(), F_DUPFD_CLOEXEC, 0));  // until it has its name
  if (::fsync(file_.number()) != 0 || !file_.close_checked() ||
      ::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail_to_write();
  }
  forget_temporary(temporary_);
  temporary_.clear();
  sync_folder(folder_of(target_));
}

void remove_abandoned(const std::string& path) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_of(path), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kBeginning) || !name.ends_with(kEnding)) continue;
    if (!fs::is_regular_file(entry.symlink_status(ignored))) continue;
    const Descriptor file(
        ::open(entry.path().c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file.is_open() && ::flock(file.number(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
  }
}

}  // namespace xf
