#include "core/checksum.h"

#include <fmt/core.h>
#include <lzma.h>

namespace xf {
namespace {

// Polynomials over GF(2) modulo that of the checksum, the highest bit the constant term.
constexpr uint64_t kPolynomial = 0xC96C5795D7870F42, kOne = uint64_t{1} << 63, kX = kOne >> 1;

uint64_t product(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  for (uint64_t bit = kOne; bit != 0; bit >>= 1) {
    if (a & bit) sum ^= b;
    b = b & 1 ? b >> 1 ^ kPolynomial : b >> 1;
  }
  return sum;
}

// x to the power of 8 `bytes`, by squaring.
uint64_t shift_by(int64_t bytes) {
  uint64_t power = kOne, factor = product(kX, kX);
  for (uint64_t bits = static_cast<uint64_t>(bytes) * 4; bits != 0; bits >>= 1) {
    if (bits & 1) power = product(power, factor);
    factor = product(factor, factor);
  }
  return power;
}

}  // namespace

void Crc64::add(std::string_view bytes) {
  bytes_ += static_cast<int64_t>(bytes.size());
  value_ = lzma_crc64(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), value_);
}

// The remainder of a text A B is that of A, moved up by the length of B, plus that of B; what the
// standard adds to the first and the last bits cancels out.
void Crc64::append(const Crc64& other) {
  value_ = product(shift_by(other.bytes_), value_) ^ other.value_;
  bytes_ += other.bytes_;
}

std::string Crc64::hexadecimal() const { return fmt::format("{:016x}", value()); }

}  // namespace xf
