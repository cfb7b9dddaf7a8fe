#include "core/checksum.h"

#include <string>

#include "tests/support/catch.h"

namespace xf {
namespace {

uint64_t crc(std::string_view bytes) {
  Crc64 checksum;
  checksum.add(bytes);
  return checksum.value();
}

}  // namespace

// Expected: the check value in the catalogue of parametrised CRC algorithms, CRC-64/XZ.
TEST_CASE("Crc64: has the published check value", "[unit]") {
  CHECK(crc("123456789") == 0x995DC9BBDF1939FAu);
  CHECK(crc("") == 0u);
}

TEST_CASE("Crc64: pieces of any size add up to the whole", "[unit]") {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += static_cast<char>(i * 37);
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    Crc64 checksum;
    checksum.add(std::string_view(bytes).substr(0, cut));
    checksum.add(std::string_view(bytes).substr(cut));
    REQUIRE(checksum.value() == crc(bytes));
    REQUIRE(checksum.bytes() == 100);
  }
}

TEST_CASE("Crc64: of two texts, one appended to the other, it is that of both", "[unit]") {
  std::string bytes;
  for (int i = 0; i < 70000; ++i) bytes += static_cast<char>(i * 7 + i / 256);
  for (const size_t cut : {size_t{0}, size_t{1}, size_t{2}, size_t{333}, size_t{65536}, bytes.size()}) {
    Crc64 first, second;
    first.add(bytes.substr(0, cut));
    second.add(bytes.substr(cut));
    first.append(second);
    CHECK(first.value() == crc(bytes));
    CHECK(first.bytes() == std::ssize(bytes));
    first.add("more");
    CHECK(first.value() == crc(bytes + "more"));
  }
}

TEST_CASE("Crc64: every single flipped bit changes it", "[unit]") {
  std::string bytes(50, 'x');
  const uint64_t whole = crc(bytes);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    REQUIRE(crc(bytes) != whole);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
  }
}

}  // namespace xf
