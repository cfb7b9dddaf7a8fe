#include "core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/guarded_open.h"

namespace xf {
namespace {

constexpr size_t kLargestPipe = size_t{1} << 30;  // more comes from /dev/zero and the like

// What a file is called by the system, whatever its paths.
using Identity = std::pair<dev_t, ino_t>;

struct Inputs {
  std::mutex mutex;
  std::set<Identity> files;
};

Inputs& inputs() {
  static Inputs all;
  return all;
}

std::string read_opened(const Descriptor& file, const std::string& path) {
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0)
    fail(ErrorKind::data, "{}: cannot open: {}; check the path", path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(ErrorKind::data, "{}: is a folder; name a file in it", path);
  note_input(file.number());
  std::string bytes(static_cast<size_t>(status.st_size) + 1,
                    '\0');  // one more, so that the end is seen at once
  size_t size = 0;
  while (true) {
    if (size == bytes.size()) bytes.resize(size + 65536);  // a pipe, or a file that grows
    if (size > kLargestPipe && !S_ISREG(status.st_mode))
      fail(ErrorKind::data, "{}: is an endless device; name a file", path);
    char* const to = bytes.data() + size;
    const size_t room = bytes.size() - size;
    const ssize_t got =
        S_ISREG(status.st_mode) ? ::read(file.number(), to, room) : read_or_stop(file.number(), to, room);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorKind::data, "{}: cannot read: {}", path, std::strerror(errno));
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  bytes.resize(size);
  refuse_lfs_pointer(bytes, path);
  return bytes;
}

}  // namespace

void refuse_lfs_pointer(std::string_view bytes, const std::string& path) {
  if (bytes.starts_with("version https://git-lfs.github.com/spec/"))
    fail(ErrorKind::data,
         "{}: is a git-lfs pointer, not the file itself; install git-lfs, and run git lfs pull in its folder",
         path);
}

// A stop ends the wait for who writes into a pipe; what does not wait is read whatever was asked
// for.
std::string read_file(const std::string& path) {
  struct stat status = {};
  const bool waits = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  const Descriptor file =
      waits ? open_or_stop(path, O_RDONLY) : Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open())
    fail(ErrorKind::data, "{}: cannot open: {}; check the path", path, std::strerror(errno));
  return read_opened(file, path);
}

std::string read_regular_file(const std::string& path) { return read_opened(open_regular(path), path); }

void atomic_write(const std::string& path, std::string_view bytes, Existing existing) {
  FileWriter file(path, existing);
  file.write(bytes);
  file.commit();
}

void atomic_write_pieces(const std::string& path, const std::vector<std::string_view>& pieces) {
  FileWriter file(path);
  for (const std::string_view piece : pieces) file.write(piece);
  file.commit();
}

void sync_folder(const std::string& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder may be written and not read (EACCES), and some file systems cannot fsync one (EINVAL);
  // renames there are as durable as they get.
  const bool synced =
      descriptor.is_open() ? ::fsync(descriptor.number()) == 0 || errno == EINVAL : errno == EACCES;
  if (!synced) fail(ErrorKind::resources, "{}: cannot sync the folder: {}", folder, std::strerror(errno));
}

void note_input(int descriptor) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const std::scoped_lock lock(inputs().mutex);
  inputs().files.insert({status.st_dev, status.st_ino});
}

void forget_inputs() {
  const std::scoped_lock lock(inputs().mutex);
  inputs().files.clear();
}

void refuse_input_as_output(const std::string& path) {
  struct stat status = {};
  if ((path == "-" ? ::fstat(STDOUT_FILENO, &status) : ::stat(path.c_str(), &status)) != 0) return;
  const std::scoped_lock lock(inputs().mutex);
  if (!inputs().files.contains({status.st_dev, status.st_ino})) return;
  fail(ErrorKind::usage, "{}: is an input as well, and would be overwritten; choose another output file",
       path == "-" ? "standard output" : path);
}

}  // namespace xf
