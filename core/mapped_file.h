// A file's bytes as memory that the system reads when they are looked at: for files that may be larger than memory.
// Nobody may cut the file short meanwhile: looking at what is gone ends the process (SIGBUS).
#pragma once

#include <string>
#include <string_view>

namespace xf {

class MappedFile {
 public:
  // Error data if it is missing, unreadable, or no regular file. Noted as read (core/file.h).
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace xf
