#include "data/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/file.h"

namespace xf::data {

namespace {

constexpr std::array<unsigned char, 2> kGzipMark = {0x1F, 0x8B};  // RFC 1952, section 2.3.1

}  // namespace

struct ByteStream::Source {
  Descriptor file;  // not open: the standard input
  std::array<unsigned char, 1 << 16> buffer;
  size_t begin = 0, end = 0;  // of the bytes in the buffer that are not used
  bool begun = false, packed = false, between_members = false, at_end = false;
  z_stream inflater = {};
  std::string problem;

  ~Source() {
    if (packed) inflateEnd(&inflater);
  }

  size_t left() const { return end - begin; }

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
    return got > 0;
  }

  bool is_marked() {
    while (left() < kGzipMark.size() && (left() == 0 || buffer[begin] == kGzipMark[0])) {
      if (!fill()) return false;
    }
    return std::equal(kGzipMark.begin(), kGzipMark.end(), buffer.begin() + begin);
  }

  void start() {
    begun = true;
    if (!is_marked()) return;
    constexpr int kGzipOnly = 16;  // zlib's flag
    packed = inflateInit2(&inflater, MAX_WBITS + kGzipOnly) == Z_OK;
    if (!packed) problem = "zlib cannot start";
  }

  // Behind a member's end: another member, zeros up to the end (tapes and discs pad so), or something that
  // would be lost in silence.
  bool next_member() {
    if (is_marked()) {
      inflateReset(&inflater);
      return true;
    }
    at_end = true;
    do {
      const bool padding =
          std::all_of(buffer.begin() + begin, buffer.begin() + end, [](auto c) { return c == 0; });
      if (!padding) problem = "something that is not compressed follows the compressed text";
      begin = end;
    } while (problem.empty() && fill());
    return false;
  }

  int64_t unpack(char* bytes, size_t size) {
    inflater.next_out = reinterpret_cast<unsigned char*>(bytes);
    inflater.avail_out = static_cast<unsigned>(size);
    while (inflater.avail_out == size && !at_end && problem.empty()) {
      if (between_members) {
        between_members = false;
        if (!next_member()) break;
      }
      if (left() == 0 && !fill()) {
        if (problem.empty()) problem = "the compressed text ends too early";
        break;
      }
      inflater.next_in = buffer.data() + begin;
      inflater.avail_in = static_cast<unsigned>(left());
      const int status = inflate(&inflater, Z_NO_FLUSH);
      begin = end - inflater.avail_in;
      between_members = status == Z_STREAM_END;
      if (status != Z_OK && status != Z_STREAM_END)
        problem = inflater.msg ? inflater.msg : "the compressed text is damaged";
    }
    return problem.empty() ? static_cast<int64_t>(size - inflater.avail_out) : -1;
  }

  int64_t hand_over(char* bytes, size_t size) {
    if (left() == 0 && !fill()) return problem.empty() ? 0 : -1;
    const size_t count = std::min(size, left());
    std::memcpy(bytes, buffer.data() + begin, count);
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
  return source_->packed ? source_->unpack(bytes, size) : source_->hand_over(bytes, size);
}

std::string ByteStream::problem() const { return source_->problem; }

}  // namespace xf::data
