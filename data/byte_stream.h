// The bytes of a file, of a pipe or of the standard input, unpacked if gzip or Zstandard packed
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace xf::data {

// Packed bytes are known by their first ones. Several packed files one behind the other are read as
// one text.
class ByteStream {
 public:
  // `path` may be "-", the standard input. Error data if it is missing, unreadable or a directory.
  explicit ByteStream(const std::string& path);
  ~ByteStream();
  ByteStream(ByteStream&&) noexcept;
  ByteStream& operator=(ByteStream&&) noexcept;

  // Up to `size` bytes, as soon as there are any; 0 at the end; -1 if it cannot be read on, for the
  // reason that problem() tells. Throws Stopped if a stop is asked for while it waits.
  int64_t read(char* bytes, size_t size);
  std::string problem() const;
  int64_t bytes_read() const;  // of the file, packed as it is

 private:
  struct Source;
  std::unique_ptr<Source> source_;
};

}  // namespace xf::data
