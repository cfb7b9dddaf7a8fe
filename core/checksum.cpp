#include "core/checksum.h"

#include <fmt/format.h>
#include <lzma.h>

namespace xf {

void Crc64::add(std::string_view bytes) {
  bytes_ += static_cast<int64_t>(bytes.size());
  value_ = lzma_crc64(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), value_);
}

std::string Crc64::hexadecimal() const { return fmt::format("{:016x}", value()); }

}  // namespace xf
