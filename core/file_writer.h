// The one way this project writes a file that others may know already: it is the old one or the new
// one, whole.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "core/descriptor.h"

namespace xf {

// What becomes of a link, a pipe or a device that has the name already.
enum class Existing {
  // A symbolic link stays and the file that it leads to is written. Pipes, devices and the
  // process's own descriptors (/dev/stdout, /dev/fd/N) are written through: at once, and a stop
  // interrupts the wait for their reader.
  followed,
  // A regular file takes its place: for a name that nobody has given, in a folder that may come
  // from a stranger.
  replaced,
};

// Until commit() has succeeded the file under `path` is as it was, or is not there; what was
// written lies beside it under a name that nobody else uses, and goes with this object, or with a
// second signal (core/stop.h).
//
// A file that exists keeps its permissions and, as far as the system allows it, its owner; one that
// may not be written is refused, and so is what another user has put into a shared folder
// (core/guarded_open.h).
class FileWriter {
 public:
  // Error resources if the file cannot be made.
  explicit FileWriter(const std::string& path, Existing existing = Existing::followed);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // From here on nobody but its owner may write the file, where the file system has such
  // permissions.
  void keep_from_others();

  // Error resources: disk full, quota.
  void write(std::string_view bytes);

  // Makes the file durable and gives it its name. Error resources.
  void commit();

 private:
  bool writes_through() const { return temporary_.empty(); }
  [[noreturn]] void fail_to_write() const;
  void open_through();
  void open_beside(const struct stat* existing);

  std::string path_;       // as the caller wrote it, for messages
  std::string target_;     // where its links lead to
  std::string temporary_;  // beside the target; empty: written through, or has its name already
  Descriptor file_;
};

// The file at the end of a chain of symbolic links, which need not exist; also an entry of /dev/fd,
// whose link is not to be followed by name. Empty, with errno, for a chain without an end.
std::string link_target(const std::string& path);

// Gives an open file the permissions of the one that it will replace and, as far as the system
// allows it, its owner and group.
void take_access_of(const struct stat& existing, int file);

// Removes what FileWriters of processes that were killed left in the folder of `path`. Those that
// still write hold a lock.
void remove_abandoned(const std::string& path);

}  // namespace xf
