// A file that stays open and is read in places, as they are needed: files larger than the memory.
// It is not mapped: others may cut a file short while it is read, and the pages of a mapping that
// lie behind its end are deadly (SIGBUS).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "core/checksum.h"
#include "core/descriptor.h"

namespace xf {

class StoredFile {
 public:
  enum class Links { followed, refused };

  // Error data if it is missing, unreadable or no regular file, and for a link that is refused.
  // Nobody is waited for.
  explicit StoredFile(const std::string& path, Links links = Links::followed);

  const std::string& path() const { return path_; }
  int64_t size() const { return size_; }  // when it was opened
  uid_t owner() const { return owner_; }
  // Whether others could write it so far, its group or everybody, and from here on can no more.
  // Some file systems have no such permissions.
  bool keep_from_others() const;

  // On any thread. Error data where the file ends before that, and so was cut short, or cannot be
  // read.
  void read(int64_t begin, void* to, int64_t size) const;
  std::string bytes(int64_t begin, int64_t size) const;
  std::string bytes() const { return bytes(0, size_); }
  // When it was written to last, in nanoseconds.
  int64_t changed() const;
  // Of all bytes, which are read piece by piece.
  Crc64 checksum() const { return checksum(0, size_); }
  Crc64 checksum(int64_t begin, int64_t size) const;

 private:
  [[noreturn]] void fail_cut_short() const;

  std::string path_;
  Descriptor file_;
  int64_t size_ = 0;
  uid_t owner_ = 0;
};

}  // namespace xf
