#include "core/checksum.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

namespace xf {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as little-endian");

constexpr uint64_t kPolynomial = 0xC96C5795D7870F42u;  // ECMA-182, bits reversed
using Tables = std::array<std::array<uint64_t, 256>, 8>;

// Row k advances a byte that k further bytes follow, so eight look-ups take a whole word ("slicing by 8"):
// a checkpoint of some 600 MB is a fraction of a second instead of several.
constexpr Tables make_tables() {
  Tables tables{};
  for (uint64_t byte = 0; byte < 256; ++byte) {
    uint64_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint64_t previous = tables[k - 1][byte];
      tables[k][byte] = (previous >> 8) ^ tables[0][previous & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

void Crc64::add(std::string_view bytes) {
  bytes_ += static_cast<int64_t>(bytes.size());
  uint64_t crc = state_;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    word ^= crc;
    crc = 0;
    for (unsigned k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (const char c : bytes) crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<uint8_t>(c)) & 0xff];
  state_ = crc;
}

std::string Crc64::hexadecimal() const { return fmt::format("{:016x}", value()); }

}  // namespace xf
