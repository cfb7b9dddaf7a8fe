#include "core/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/stop.h"

namespace xf {

namespace {

// The result of `call`, a function that returns -1 and EINTR when a signal has ended its wait.
template <typename Call>
auto until_done_or_stop(Call call) {
  for (;;) {
    const Interruptible waiting;
    check_stop();
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

// Calls write(bytes) until all of them are written.
template <typename Write>
bool write_pieces(std::string_view bytes, Write write) {
  while (!bytes.empty()) {
    const ssize_t written = write(bytes);
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

Descriptor::~Descriptor() {
  if (is_open()) ::close(number_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

bool Descriptor::close_checked() { return ::close(std::exchange(number_, -1)) == 0; }

Descriptor open_or_stop(const std::string& path, int flags) {
  return Descriptor(until_done_or_stop([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); }));
}

ssize_t read_or_stop(int descriptor, char* bytes, size_t size) {
  return until_done_or_stop([&] { return ::read(descriptor, bytes, size); });
}

bool write_or_stop(int descriptor, std::string_view bytes) {
  return write_pieces(bytes, [&](std::string_view rest) {
    return until_done_or_stop([&] { return ::write(descriptor, rest.data(), rest.size()); });
  });
}

bool write_all(int descriptor, std::string_view bytes) {
  return write_pieces(bytes, [&](std::string_view rest) {
    for (;;) {
      const ssize_t written = ::write(descriptor, rest.data(), rest.size());
      if (written >= 0 || errno != EINTR) return written;
    }
  });
}

}  // namespace xf
