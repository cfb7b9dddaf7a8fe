#include "core/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/file.h"

namespace xf {

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0)
    fail(ErrorKind::data, "{}: cannot open: {}; check the path", path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail(ErrorKind::data, "{}: is not a regular file; name a file", path);
  note_input(file.number());
  size_ = static_cast<size_t>(status.st_size);
  if (size_ == 0) return;
  void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.number(), 0);
  if (mapped == MAP_FAILED)
    fail(ErrorKind::resources, "{}: cannot map {} bytes: {}", path, size_, std::strerror(errno));
  data_ = static_cast<const char*>(mapped);
  refuse_lfs_pointer(bytes(), path);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<char*>(data_), size_);
}

}  // namespace xf
