#include "data/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/file.h"
#include "data/unpacker.h"

namespace xf::data {

struct ByteStream::Source {
  Descriptor file;  // not open: the standard input
  std::array<unsigned char, 1 << 16> buffer;
  size_t begin = 0, end = 0;           // of the bytes in the buffer that are not used
  std::unique_ptr<Unpacker> unpacker;  // of the member at `begin`
  bool begun = false, packed = false, at_end = false;
  std::string problem;
  int64_t bytes_read = 0;

  std::span<const unsigned char> left() const { return std::span(buffer).subspan(begin, end - begin); }

  // Adds bytes behind those that are left. False at the end, and for a problem.
  bool fill() {
    std::copy(buffer.begin() + begin, buffer.begin() + end, buffer.begin());
    end -= begin;
    begin = 0;
    const int number = file.is_open() ? file.number() : STDIN_FILENO;
    const ssize_t got =
        read_or_stop(number, reinterpret_cast<char*>(buffer.data()) + end, buffer.size() - end);
    if (got < 0) problem = std::strerror(errno);
    end += static_cast<size_t>(std::max<ssize_t>(got, 0));
    bytes_read += std::max<ssize_t>(got, 0);
    return got > 0;
  }

  // Whether a packed member comes next. Waits for no more bytes than it takes to tell.
  bool begin_member() {
    while (is_packed(left()) == Packed::perhaps && fill()) {
    }
    if (is_packed(left()) != Packed::yes) return false;
    unpacker = make_unpacker(left());
    return true;
  }

  void start() {
    begun = true;
    packed = begin_member();
  }

  // Behind a member's end: another member, zeros up to the end (tapes and discs pad so), or something that
  // would be lost in silence.
  bool next_member() {
    if (at_end || begin_member()) return !at_end;
    at_end = true;
    while (problem.empty() && (!left().empty() || fill())) {
      const bool padding = std::ranges::all_of(left(), [](auto c) { return c == 0; });
      if (!padding) problem = "something that is not compressed follows the compressed text";
      begin = end;
    }
    return false;
  }

  // What was given before a problem is handed over before the problem is told.
  int64_t unpack(std::span<char> plain) {
    while (problem.empty() && (unpacker || next_member())) {
      const Unpacker::Step step = unpacker->step(left(), plain);
      begin += step.taken;
      problem = step.problem;
      if (step.ended) unpacker = nullptr;
      if (step.given > 0) return static_cast<int64_t>(step.given);
      const bool waits = step.taken == 0 && !step.ended && problem.empty();
      if (waits && !fill() && problem.empty()) problem = "the compressed text ends too early";
    }
    return problem.empty() ? 0 : -1;
  }

  int64_t hand_over(std::span<char> bytes) {
    if (left().empty() && !fill()) return problem.empty() ? 0 : -1;
    const size_t count = std::min(bytes.size(), left().size());
    std::memcpy(bytes.data(), left().data(), count);
    begin += count;
    return static_cast<int64_t>(count);
  }
};

ByteStream::ByteStream(const std::string& path) : source_(std::make_unique<Source>()) {
  if (path == "-") {
    note_input(STDIN_FILENO);
    return;
  }
  source_->file = open_or_stop(path, O_RDONLY);
  struct stat status = {};
  const int number = source_->file.number();
  if (number < 0 || ::fstat(number, &status) != 0)
    fail(ErrorKind::data, "{}: cannot open: {}; check the path", path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(ErrorKind::data, "{}: is a folder; name a text file in it", path);
  note_input(number);
}

ByteStream::~ByteStream() = default;
ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream& ByteStream::operator=(ByteStream&&) noexcept = default;

int64_t ByteStream::read(char* bytes, size_t size) {
  if (!source_->begun) source_->start();
  if (!source_->problem.empty()) return -1;
  return source_->packed ? source_->unpack({bytes, size}) : source_->hand_over({bytes, size});
}

std::string ByteStream::problem() const { return source_->problem; }
int64_t ByteStream::bytes_read() const { return source_->bytes_read; }

}  // namespace xf::data
