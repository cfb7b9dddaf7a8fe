// CRC-64/XZ (ECMA-182 polynomial, reflected), computed by liblzma: tells a whole file from a
// truncated or bit-flipped one. Every change confined to 64 neighbouring bits is found, any other
// with probability 1 - 2^-64. Not a defence against forgery.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xf {

// Bytes may be added in pieces of any size; equal bytes give equal values.
class Crc64 {
 public:
  void add(std::string_view bytes);
  // As if all that was added to `other` were added here now: texts that are read side by side, or
  // by several threads, get the checksum of one behind the other.
  void append(const Crc64& other);
  uint64_t value() const { return value_; }
  int64_t bytes() const { return bytes_; }
  std::string hexadecimal() const;  // value() in 16 digits
  friend bool operator==(const Crc64&, const Crc64&) = default;

 private:
  uint64_t value_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace xf
