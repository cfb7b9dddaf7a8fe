#include "core/stored_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/file.h"

namespace xf {
namespace {

constexpr int64_t kPiece = 256 << 10;         // stays in the second-level cache until it is used
constexpr int64_t kMostAtOnce = 0x7fff'f000;  // of Linux: read(2)
constexpr int64_t kBeginning = 64;            // of a file, in which git-lfs's pointers are known

}  // namespace

StoredFile::StoredFile(const std::string& path, Links links)
    : path_(path),
      file_(::open(path.c_str(),
                   O_RDONLY | O_CLOEXEC | O_NONBLOCK | (links == Links::refused ? O_NOFOLLOW : 0))) {
  struct stat status = {};
  if (!file_.is_open() && errno == ELOOP && links == Links::refused)
    fail(ErrorKind::data, "{}: is a link; name a file", path);
  if (!file_.is_open() || ::fstat(file_.number(), &status) != 0)
    fail(ErrorKind::data, "{}: cannot open: {}; check the path", path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail(ErrorKind::data, "{}: is not a regular file; name a file", path);
  note_input(file_.number());
  size_ = status.st_size;
  owner_ = status.st_uid;
  refuse_lfs_pointer(bytes(0, std::min(size_, kBeginning)), path);
}

bool StoredFile::keep_from_others() const {
  constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
  struct stat before = {}, after = {};
  return ::fstat(file_.number(), &before) == 0 && (before.st_mode & kOthersWrite) != 0 &&
         ::fchmod(file_.number(), before.st_mode & 07777 & ~kOthersWrite) == 0 &&
         ::fstat(file_.number(), &after) == 0 && (after.st_mode & kOthersWrite) == 0;
}

void StoredFile::read(int64_t begin, void* to, int64_t size) const {
  auto* next = static_cast<char*>(to);
  for (int64_t left = size; left > 0;) {
    const ssize_t got =
        ::pread(file_.number(), next, static_cast<size_t>(std::min(left, kMostAtOnce)), begin + size - left);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorKind::data, "{}: cannot read: {}", path_, std::strerror(errno));
    if (got == 0) fail_cut_short();
    next += got;
    left -= got;
  }
}

void StoredFile::fail_cut_short() const {
  struct stat status = {};
  static_cast<void>(::fstat(file_.number(), &status));
  fail(ErrorKind::data,
       "{}: was truncated while it was read: it has {} bytes, and had {}; run the same command again when it "
       "is complete",
       path_, status.st_size, size_);
}

std::string StoredFile::bytes(int64_t begin, int64_t size) const {
  std::string result(static_cast<size_t>(size), '\0');
  read(begin, result.data(), size);
  return result;
}

int64_t StoredFile::changed() const {
  struct stat status = {};
  static_cast<void>(::fstat(file_.number(), &status));
  return int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

Crc64 StoredFile::checksum(int64_t begin, int64_t size) const {
  Crc64 crc;
  std::string piece(static_cast<size_t>(std::min(size, kPiece)), '\0');
  for (int64_t done = 0; done < size;) {
    const int64_t now = std::min(size - done, kPiece);
    read(begin + done, piece.data(), now);
    crc.add({piece.data(), static_cast<size_t>(now)});
    done += now;
  }
  return crc;
}

}  // namespace xf
