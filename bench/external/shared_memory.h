// Memory that another process maps too.
#pragma once

#include <cstdint>
#include <string>

namespace xf::bench {

class SharedMemory {
 public:
  // Of ours: zeros, without a name in any folder, gone with the processes that use it. Error
  // resources.
  static SharedMemory create(int64_t bytes);
  // Another process's, at the path that its path() gives. Error failure where it cannot be mapped.
  static SharedMemory open(const std::string& path, int64_t bytes);
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  std::string path() const;  // for processes of this user

 private:
  SharedMemory(int file, int64_t bytes);
  int file_ = -1;
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace xf::bench
