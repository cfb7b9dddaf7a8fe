#include "data/unpacker.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>

#include "core/error.h"

namespace xf::data {
namespace {

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

// RFC 1952, section 2.3.1; RFC 8878, sections 3.1.1 and 3.1.2: a skippable frame, which pzstd puts before each of its
// frames, has any low bits in its first byte.
constexpr std::array<Format, 3> kFormats = {{{{0x1F, 0x8B}, 2, 0xFF, make<GzipUnpacker>},
                                             {{0x28, 0xB5, 0x2F, 0xFD}, 4, 0xFF, make<ZstandardUnpacker>},
                                             {{0x50, 0x2A, 0x4D, 0x18}, 4, 0xF0, make<ZstandardUnpacker>}}};

}  // namespace

Packed is_packed(std::span<const unsigned char> beginning) {
  Packed best = Packed::no;
  for (const Format& format : kFormats) best = std::max(best, format.begins(beginning));
  return best;
}

std::unique_ptr<Unpacker> make_unpacker(std::span<const unsigned char> beginning) {
  const auto format =
      std::ranges::find_if(kFormats, [&](const Format& f) { return f.begins(beginning) == Packed::yes; });
  XF_CHECK(format != kFormats.end(), "unpacker: the bytes begin no packed member");
  return format->make();
}

}  // namespace xf::data
