// A file's bytes in the address space, read by the system as they are touched: files larger than
// the memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace xf {

class MappedFile {
 public:
  // Error data if it is missing, unreadable or no regular file.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const char* data() const { return data_; }  // null for an empty file
  size_t size() const { return size_; }
  std::string_view bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace xf
