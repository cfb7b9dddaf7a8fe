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

MappedFile::MappedFile(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0)
    fail(ErrorKind::data, "{}: cannot open: {}; check the path", path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail(ErrorKind::data, "{}: is no regular file; name one", path);
  note_input(file.number());
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return;
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (memory == MAP_FAILED) fail(ErrorKind::data, "{}: cannot map: {}", path, std::strerror(errno));
  bytes_ = {static_cast<const char*>(memory), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace xf
