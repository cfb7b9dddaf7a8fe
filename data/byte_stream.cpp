#include "data/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/file.h"

namespace xf::data {
namespace {

// What gzip and Zstandard packed, unpacked piece by piece. In both formats a file is a row of
// members (frames): each begins with a mark that says which format it is, and knows where it ends.
class Unpacker {
 public:
  struct Step {
    size_t taken = 0,
           given = 0;          // bytes of `packed` and of `plain`; both 0: there is no going on
                               // without
                               // more of one
    bool ended = false;        // the member is whole, and all of it is given
    std::string problem = {};  // why it cannot be unpacked, or empty
  };

  virtual ~Unpacker() = default;
  // Takes from the front of `packed`, gives to the front of `plain`.
  virtual Step step(std::span<const unsigned char> packed, std::span<char> plain) = 0;
};

// Whether bytes begin a packed member; `perhaps`, if more of them would tell.
enum class Packed { no, perhaps, yes };

[[noreturn]] void fail_without_memory() {
  fail(ErrorKind::resources, "out of memory for unpacking a compressed text; unpack it beforehand");
}

class GzipUnpacker : public Unpacker {
 public:
  GzipUnpacker() {
    constexpr int kGzipOnly = 16;  // zlib's flag
    if (inflateInit2(&inflater_, MAX_WBITS + kGzipOnly) != Z_OK) fail_without_memory();
  }
  ~GzipUnpacker() override { inflateEnd(&inflater_); }
  GzipUnpacker(const GzipUnpacker&) = delete;
  GzipUnpacker& operator=(const GzipUnpacker&) = delete;

  Step step(std::span<const unsigned char> packed, std::span<char> plain) override {
    inflater_.next_in = const_cast<unsigned char*>(packed.data());  // only read
    inflater_.avail_in = static_cast<unsigned>(packed.size());
    inflater_.next_out = reinterpret_cast<unsigned char*>(plain.data());
    inflater_.avail_out = static_cast<unsigned>(plain.size());
    const int status = inflate(&inflater_, Z_NO_FLUSH);
    Step step = {.taken = packed.size() - inflater_.avail_in,
                 .given = plain.size() - inflater_.avail_out,
                 .ended = status == Z_STREAM_END};
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      step.problem = inflater_.msg ? inflater_.msg : "the compressed text is damaged";
    return step;
  }

 private:
  z_stream inflater_ = {};
};

class ZstandardUnpacker : public Unpacker {
 public:
  ZstandardUnpacker() : stream_(ZSTD_createDStream()) {
    if (!stream_) fail_without_memory();
  }

  Step step(std::span<const unsigned char> packed, std::span<char> plain) override {
    ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
    ZSTD_outBuffer out = {plain.data(), plain.size(), 0};
    const size_t status = ZSTD_decompressStream(stream_.get(), &out, &in);
    Step step = {.taken = in.pos, .given = out.pos, .ended = status == 0};
    if (ZSTD_isError(status) != 0) step.problem = ZSTD_getErrorName(status);
    return step;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_;
};

template <typename T>
std::unique_ptr<Unpacker> make() {
  return std::make_unique<T>();
}

struct Format {
  std::array<unsigned char, 4> mark;
  size_t length;             // of the mark
  unsigned char first_mask;  // bits of its first byte that count
  std::unique_ptr<Unpacker> (*make)();

  Packed begins(std::span<const unsigned char> bytes) const {
    const size_t known = std::min(length, bytes.size());
    for (size_t i = 0; i < known; ++i) {
      if ((i == 0 ? bytes[0] & first_mask : bytes[i]) != mark[i]) return Packed::no;
    }
    return known < length ? Packed::perhaps : Packed::yes;
  }
};

// RFC 1952, section 2.3.1; RFC 8878, sections 3.1.1 and 3.1.2: a skippable frame, which pzstd puts
// before each of its frames, has any low bits in its first byte.
constexpr std::array<Format, 3> kFormats = {{{{0x1F, 0x8B}, 2, 0xFF, make<GzipUnpacker>},
                                             {{0x28, 0xB5, 0x2F, 0xFD}, 4, 0xFF, make<ZstandardUnpacker>},
                                             {{0x50, 0x2A, 0x4D, 0x18}, 4, 0xF0, make<ZstandardUnpacker>}}};

Packed is_packed(std::span<const unsigned char> beginning) {
  Packed best = Packed::no;
  for (const Format& format : kFormats) best = std::max(best, format.begins(beginning));
  return best;
}

// For the member that begins so, where is_packed() says yes. Error resources if there is no memory
// for it.
std::unique_ptr<Unpacker> make_unpacker(std::span<const unsigned char> beginning) {
  const auto format =
      std::ranges::find_if(kFormats, [&](const Format& f) { return f.begins(beginning) == Packed::yes; });
  XF_CHECK(format != kFormats.end(), "unpacker: the bytes begin no packed member");
  return format->make();
}

}  // namespace

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

  // Behind a member's end: another member, zeros up to the end (tapes and discs pad so), or
  // something that would be lost in silence.
  bool next_member() {
    if (at_end || begin_member()) return !at_end;
    at_end = true;
    while (problem.empty() && (!left().empty() || fill())) {
      const bool padding = std::ranges::all_of(left(), [](auto c) { return c == 0; });
      if (!padding) problem = "uncompressed bytes follow the compressed text";
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
