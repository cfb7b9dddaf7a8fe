#include "bench/external/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "core/error.h"

namespace xf::bench {

SharedMemory::SharedMemory(int file, int64_t bytes) : file_(file), bytes_(bytes) {
  void* const mapped = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) {
    close(file);
    fail(ErrorKind::resources, "{} MB of shared memory cannot be mapped", bytes >> 20);
  }
  data_ = static_cast<std::byte*>(mapped);
}

SharedMemory SharedMemory::create(int64_t bytes) {
  const int file = memfd_create("xformer-bench", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, bytes) != 0) {
    if (file >= 0) close(file);
    fail(ErrorKind::resources, "{} MB of shared memory cannot be had", bytes >> 20);
  }
  return {file, bytes};
}

SharedMemory SharedMemory::open(const std::string& path, int64_t bytes) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) fail(ErrorKind::failure, "{} cannot be opened", path);
  return {file, bytes};
}

SharedMemory::~SharedMemory() {
  if (data_) munmap(data_, static_cast<size_t>(bytes_));
  if (file_ >= 0) close(file_);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(other.bytes_) {}

std::string SharedMemory::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_); }

}  // namespace xf::bench
