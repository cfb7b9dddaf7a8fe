#include "tools/formats/tensor_distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/dtype.h"
#include "core/error.h"

namespace xf::tools {

namespace {

double apart(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)) ? 0 : std::abs(a - b); }
double apart(std::complex<float> a, std::complex<float> b) {
  const double real = apart(double{a.real()}, double{b.real()}),
               imaginary = apart(double{a.imag()}, double{b.imag()});
  return std::isnan(real + imaginary) ? std::numeric_limits<double>::quiet_NaN()
                                      : std::hypot(real, imaginary);
}
// Beyond 2^53, too, where two of them may be one f64.
template <std::integral T>
double apart(T a, T b) {
  return static_cast<double>(a > b ? uint64_t(a) - uint64_t(b) : uint64_t(b) - uint64_t(a));
}

double square(double a) { return a * a; }
double square(std::complex<float> a) { return square(double{a.real()}) + square(double{a.imag()}); }
template <std::integral T>
double square(T a) {
  return square(static_cast<double>(a));
}

// value(bytes, i) is element i.
template <typename Value>
TensorDistance distance(const Value& value, std::string_view a, std::string_view b, size_t count) {
  TensorDistance result;
  double squares = 0, of_a = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto p = value(a, i), q = value(b, i);
    of_a += square(p);
    const double difference = apart(p, q);
    if (difference == 0) continue;
    squares += difference * difference;
    if (!std::isnan(result.largest) && !(difference <= result.largest)) result.largest = difference;
  }
  result.relative = squares == 0 ? 0 : std::sqrt(squares / of_a);
  return result;
}

template <typename T>
TensorDistance of_numbers(std::string_view a, std::string_view b) {
  const auto value = [](std::string_view bytes, size_t i) {
    T number;
    std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
    if constexpr (std::same_as<T, float> || std::same_as<T, bf16>) {
      return static_cast<double>(static_cast<float>(number));
    } else {
      return number;
    }
  };
  return distance(value, a, b, a.size() / sizeof(T));
}

// What the highest numbers of a floating-point type are instead.
enum class Specials {
  ieee,        // infinities and NaNs have the highest exponent
  one_nan,     // all bits of exponent and mantissa: NaN; no infinity
  minus_zero,  // it is NaN; no infinity
  none,
};
struct SmallFloat {
  std::string_view name;
  int exponent_bits, mantissa_bits, bias;
  Specials specials;
};
// FP8: Micikevicius et al. 2022, arXiv:2209.05433; FNUZ: Noune et al. 2022, arXiv:2206.02915; F6,
// F4: the Open Compute Project's microscaling formats 1.0.
constexpr auto kSmallFloats = std::to_array<SmallFloat>({{"F16", 5, 10, 15, Specials::ieee},
                                                         {"F8_E5M2", 5, 2, 15, Specials::ieee},
                                                         {"F8_E4M3", 4, 3, 7, Specials::one_nan},
                                                         {"F8_E5M2FNUZ", 5, 2, 16, Specials::minus_zero},
                                                         {"F8_E4M3FNUZ", 4, 3, 8, Specials::minus_zero},
                                                         {"F6_E3M2", 3, 2, 3, Specials::none},
                                                         {"F6_E2M3", 2, 3, 1, Specials::none},
                                                         {"F4", 2, 1, 1, Specials::none}});

bool is_nan(const SmallFloat& type, uint32_t bits) {
  const uint32_t sign = 1U << (type.exponent_bits + type.mantissa_bits), rest = bits & (sign - 1);
  const uint32_t infinity = ((1U << type.exponent_bits) - 1) << type.mantissa_bits;
  switch (type.specials) {
    case Specials::ieee: return rest > infinity;
    case Specials::one_nan: return rest == sign - 1;
    case Specials::minus_zero: return bits == sign;
    case Specials::none: return false;
  }
  return false;
}

double value_of(const SmallFloat& type, uint32_t bits) {
  if (is_nan(type, bits)) return std::numeric_limits<double>::quiet_NaN();
  const int exponent = static_cast<int>(bits >> type.mantissa_bits) & ((1 << type.exponent_bits) - 1);
  const int mantissa = static_cast<int>(bits) & ((1 << type.mantissa_bits) - 1),
            one = 1 << type.mantissa_bits;
  double size = std::ldexp(exponent == 0 ? mantissa : one + mantissa,
                           std::max(exponent, 1) - type.bias - type.mantissa_bits);
  if (type.specials == Specials::ieee && exponent == (1 << type.exponent_bits) - 1)
    size = std::numeric_limits<double>::infinity();
  return bits >> (type.exponent_bits + type.mantissa_bits) != 0 ? -size : size;
}

// Elements of 4 to 16 bits by the table of what they are, of 2^bits.
TensorDistance of_table(const std::vector<double>& table, size_t bits, std::string_view a,
                        std::string_view b) {
  const auto value = [&](std::string_view bytes, size_t i) {
    const size_t first = i * bits / 8;
    uint32_t word = static_cast<unsigned char>(bytes[first]);
    if (first + 1 < bytes.size()) word |= uint32_t{static_cast<unsigned char>(bytes[first + 1])} << 8;
    return table[word >> (i * bits % 8) & ((1U << bits) - 1)];
  };
  return distance(value, a, b, a.size() * 8 / bits);
}

TensorDistance of_small_floats(const SmallFloat& type, std::string_view a, std::string_view b) {
  const int bits = 1 + type.exponent_bits + type.mantissa_bits;
  std::vector<double> table;
  for (uint32_t i = 0; i < 1U << bits; ++i) table.push_back(value_of(type, i));
  return of_table(table, static_cast<size_t>(bits), a, b);
}

// Powers of 2 without a sign.
TensorDistance of_exponents(std::string_view a, std::string_view b) {
  std::vector<double> table;
  for (int i = 0; i < 255; ++i) table.push_back(std::ldexp(1, i - 127));
  table.push_back(std::numeric_limits<double>::quiet_NaN());
  return of_table(table, 8, a, b);
}

using Measure = TensorDistance (*)(std::string_view a, std::string_view b);
constexpr auto kNumbers =
    std::to_array<std::pair<std::string_view, Measure>>({{"F64", of_numbers<double>},
                                                         {"F32", of_numbers<float>},
                                                         {"BF16", of_numbers<bf16>},
                                                         {"C64", of_numbers<std::complex<float>>},
                                                         {"I64", of_numbers<int64_t>},
                                                         {"I32", of_numbers<int32_t>},
                                                         {"I16", of_numbers<int16_t>},
                                                         {"I8", of_numbers<int8_t>},
                                                         {"U64", of_numbers<uint64_t>},
                                                         {"U32", of_numbers<uint32_t>},
                                                         {"U16", of_numbers<uint16_t>},
                                                         {"U8", of_numbers<uint8_t>},
                                                         {"BOOL", of_numbers<uint8_t>},
                                                         {"F8_E8M0", of_exponents}});

}  // namespace

TensorDistance tensor_distance(std::string_view dtype, std::string_view a, std::string_view b) {
  XF_CHECK(a.size() == b.size(), "tensor distance: {} and {} bytes", a.size(), b.size());
  if (a == b) return {};
  for (const auto& [name, measure] : kNumbers) {
    if (name == dtype) return measure(a, b);
  }
  const auto* const small = std::ranges::find(kSmallFloats, dtype, &SmallFloat::name);
  if (small == kSmallFloats.end()) fail(ErrorKind::data, "{}: no type of safetensors", dtype);
  return of_small_floats(*small, a, b);
}

}  // namespace xf::tools
