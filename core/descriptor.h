// File descriptors of the operating system, and the calls on them that may wait for somebody at the
// other end.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace xf {

// Closes on every way out; close_checked() is for writers, to whom close() may report the full
// disk.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  bool close_checked();

 private:
  int number_;
};

// open(2), read(2) and a write of all the bytes, for pipes and terminals: a stop (core/stop.h) ends
// the wait, and they throw Stopped. Failures are those of the system, in errno; the descriptor is
// then not open, the number of bytes -1.
Descriptor open_or_stop(const std::string& path, int flags);  // what O_CREAT makes has the mode
                                                              // 0666
ssize_t read_or_stop(int descriptor, char* bytes, size_t size);
bool write_or_stop(int descriptor, std::string_view bytes);

// A write of all the bytes that no stop interrupts: a save, once begun, is made.
bool write_all(int descriptor, std::string_view bytes);

}  // namespace xf
