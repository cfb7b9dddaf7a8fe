#include "core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/error.h"

namespace xf {
namespace {

// Closes on every way out; close_checked() is for writers, to whom close() may report the full disk.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  bool close_checked() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

[[noreturn]] void fail_to_write(const std::string& path, const std::string& temporary) {
  const int reason = errno;
  ::unlink(temporary.c_str());
  fail(ErrorKind::resources, "{}: cannot write: {}; free some space or choose a folder you may write to",
       path, std::strerror(reason));
}

}  // namespace

std::string read_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
    fail(ErrorKind::data, "{}: cannot open: {}; check the path", path, std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) fail(ErrorKind::data, "{}: is a folder; name a file in it", path);
  std::string bytes(static_cast<size_t>(status.st_size) + 1,
                    '\0');  // one more, so that the end is seen at once
  size_t size = 0;
  while (true) {
    if (size == bytes.size()) bytes.resize(size + 65536);  // a pipe, or a file that grows
    const ssize_t got = ::read(file.number(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorKind::data, "{}: cannot read: {}", path, std::strerror(errno));
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

void atomic_write(const std::string& path, std::string_view bytes) { atomic_write_pieces(path, {bytes}); }

void atomic_write_pieces(const std::string& path, const std::vector<std::string_view>& pieces) {
  const std::string temporary = path + ".tmp";
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  const auto write_piece = [&](std::string_view piece) { return write_all(file.number(), piece); };
  if (file.number() < 0 || !std::all_of(pieces.begin(), pieces.end(), write_piece) ||
      ::fsync(file.number()) != 0 || !file.close_checked() ||
      ::rename(temporary.c_str(), path.c_str()) != 0) {
    fail_to_write(path, temporary);
  }
  sync_folder(folder_of(path));
}

void sync_folder(const std::string& folder) {
  Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot fsync a folder (EINVAL); their renames are as durable as they get.
  if (descriptor.number() < 0 || (::fsync(descriptor.number()) != 0 && errno != EINVAL)) {
    fail(ErrorKind::resources, "{}: cannot sync the folder: {}", folder, std::strerror(errno));
  }
}

}  // namespace xf
