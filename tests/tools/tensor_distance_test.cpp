// How far tensors of every stored type are apart. As users see it: tests/e2e/export.sh.
#include "tools/formats/tensor_distance.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/data/errors.h"
#include "tests/support/catch.h"

using namespace xf::tools;
using xf::tests::error_of;

namespace {

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Of one element each, given by their bits.
double apart(const char* dtype, uint8_t a, uint8_t b) {
  return tensor_distance(dtype, bytes_of<uint8_t>({a}), bytes_of<uint8_t>({b})).largest;
}

}  // namespace

TEST_CASE("Tensor distance: numbers of every width are compared as numbers", "[unit]") {
  const auto distance = [](const char* dtype, const auto& a, const auto& b) {
    return tensor_distance(dtype, bytes_of(a), bytes_of(b));
  };
  using Floats = std::vector<float>;
  CHECK(distance("F32", Floats{3, 0, 4}, Floats{3, 0.5f, 4}).largest == 0.5);
  // 0.5 / |(3, 0, 4)|
  CHECK(distance("F32", Floats{3, 0, 4}, Floats{3, 0.5f, 4}).relative == Approx(0.1));
  CHECK(distance("F64", std::vector<double>{1}, std::vector<double>{1 + 0x1p-50}).largest == 0x1p-50);
  CHECK(distance("I8", std::vector<int8_t>{-128, 1}, std::vector<int8_t>{127, 1}).largest == 255);
  CHECK(distance("U8", std::vector<uint8_t>{200}, std::vector<uint8_t>{255}).largest == 55);
  CHECK(distance("BOOL", std::vector<uint8_t>{0}, std::vector<uint8_t>{1}).largest == 1);
  CHECK(distance("I16", std::vector<int16_t>{-32768}, std::vector<int16_t>{32767}).largest == 65535);
  CHECK(distance("U16", std::vector<uint16_t>{1}, std::vector<uint16_t>{65535}).largest == 65534);
  CHECK(distance("I32", std::vector<int32_t>{-5}, std::vector<int32_t>{7}).largest == 12);
  CHECK(distance("U32", std::vector<uint32_t>{0}, std::vector<uint32_t>{4294967295}).largest == 4294967295.0);
  // 2^53 + 1 is no f64.
  const int64_t big = int64_t{1} << 53;
  CHECK(distance("I64", std::vector<int64_t>{big}, std::vector<int64_t>{big + 1}).largest == 1);
  CHECK(distance("I64", std::vector<int64_t>{INT64_MIN}, std::vector<int64_t>{INT64_MAX}).largest == 0x1p64);
  CHECK(distance("U64", std::vector<uint64_t>{0}, std::vector<uint64_t>{UINT64_MAX}).largest == 0x1p64);
  // 3 + 4i and 0: 5
  CHECK(distance("C64", Floats{3, 4, 1, 1}, Floats{0, 0, 1, 1}).largest == 5);
}

// IEEE 754-2019, 3.4: 0x3C00 is 1, 0x3C01 1 + 2^-10, 0x0001 2^-24, 0x7C00 infinity, 0x7E00 a NaN.
// bf16: the upper half of f32.
TEST_CASE("Tensor distance: halves, their infinities and their NaNs", "[unit]") {
  const auto apart = [](const char* dtype, uint16_t a, uint16_t b) {
    return tensor_distance(dtype, bytes_of<uint16_t>({a}), bytes_of<uint16_t>({b})).largest;
  };
  CHECK(apart("F16", 0x3C00, 0x3C01) == 0x1p-10);
  CHECK(apart("F16", 0x0000, 0x0001) == 0x1p-24);
  CHECK(apart("F16", 0x0000, 0x8000) == 0);
  CHECK(apart("F16", 0x3C00, 0x7C00) == INFINITY);
  CHECK(std::isnan(apart("F16", 0x3C00, 0x7E00)));
  CHECK(apart("F16", 0x7E00, 0x7E01) == 0);
  CHECK(apart("BF16", 0x3F80, 0x3F81) == 0x1p-7);
  CHECK(apart("BF16", 0x7F80, 0x7F80) == 0);
}

// OCP 8-bit floating point 1.0, table 1: E4M3 0x7E is 448, 0x7F a NaN, 0x01 2^-9; E5M2 0x7B is
// 57,344, 0x7C infinity. arXiv:2206.02915: biases of 8 and 16, 0x80 the NaN, so that 0x7F is 240
// and 57,344. OCP microscaling formats 1.0, table 1 to 5: E8M0 0x7F is 1, 0xFF the NaN; largest
// E3M2 28, E2M3 7.5, E2M1 6.
TEST_CASE("Tensor distance: numbers of eight bits and less", "[unit]") {
  CHECK(apart("F8_E4M3", 0, 0x7E) == 448);
  CHECK(apart("F8_E4M3", 0, 0x01) == 0x1p-9);
  CHECK(apart("F8_E4M3", 0x38, 0xB8) == 2);
  CHECK(std::isnan(apart("F8_E4M3", 0, 0x7F)));
  CHECK(apart("F8_E5M2", 0, 0x7B) == 57344);
  CHECK(apart("F8_E5M2", 0, 0x7C) == INFINITY);
  CHECK(std::isnan(apart("F8_E5M2", 0, 0x7D)));
  CHECK(apart("F8_E4M3FNUZ", 0, 0x7F) == 240);
  CHECK(std::isnan(apart("F8_E4M3FNUZ", 0, 0x80)));
  CHECK(apart("F8_E5M2FNUZ", 0, 0x7F) == 57344);
  CHECK(std::isnan(apart("F8_E5M2FNUZ", 0, 0x80)));
  CHECK(apart("F8_E8M0", 0x7F, 0x80) == 1);
  CHECK(std::isnan(apart("F8_E8M0", 0x7F, 0xFF)));
  // Two numbers in a byte: 0 and 6; four in three: 28 and three 0.
  CHECK(apart("F4", 0x00, 0x70) == 6);
  CHECK(tensor_distance("F6_E3M2", std::string(3, '\0'), std::string("\x1F\0\0", 3)).largest == 28);
  CHECK(tensor_distance("F6_E2M3", std::string(3, '\0'), std::string("\xC0\x07\0", 3)).largest == 7.5);
  CHECK_THAT(error_of([&] { tensor_distance("F2", "a", "b"); }), Catch::StartsWith("3: F2: no type"));
}

TEST_CASE("Tensor distance: the same is no distance, whatever it is", "[unit]") {
  for (const char* dtype : {"F32", "F16", "I64", "F4", "F6_E2M3", "C64", "BOOL", "F8_E8M0"}) {
    const std::string bytes(24, '\xFF');
    CHECK(tensor_distance(dtype, bytes, bytes).largest == 0);
    CHECK(tensor_distance(dtype, "", "").largest == 0);
  }
}
