// How tests compare tensors: the largest difference, relative to the largest expected value of the
// same tensor.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/philox.h"
#include "core/tensor.h"

namespace xf::tests {

// The elements of a tensor on any device as doubles, rows closed up.
inline std::vector<double> as_doubles(const Tensor& tensor) {
  const auto widen = [](const auto& values) { return std::vector<double>(values.begin(), values.end()); };
  switch (tensor.dtype()) {
    case DType::f32: return widen(tensor.to_vector<float>());
    case DType::f64: return widen(tensor.to_vector<double>());
    case DType::i32: return widen(tensor.to_vector<int32_t>());
    case DType::i8: return widen(tensor.to_vector<int8_t>());
    default: {
      const auto values = tensor.to_vector<bf16>();
      std::vector<double> wide;
      for (const bf16 value : values) wide.push_back(static_cast<float>(value));
      return wide;
    }
  }
}

// max |actual - expected| / max |expected|, with `floor` under the denominator. A NaN anywhere or
// unequal sizes give infinity; equal infinities count as no difference.
inline double max_relative_error(const std::vector<double>& actual, const std::vector<double>& expected,
                                 double floor = 1e-30) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (actual.size() != expected.size()) return kInfinity;
  double difference = 0, largest = floor;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i]) {
      if (std::isfinite(expected[i])) largest = std::max(largest, std::abs(expected[i]));
      continue;
    }
    const double d = std::abs(actual[i] - expected[i]);
    if (!std::isfinite(d)) return kInfinity;
    difference = std::max(difference, d);
    largest = std::max(largest, std::abs(expected[i]));
  }
  return difference / largest;
}
inline double max_relative_error(const Tensor& actual, const std::vector<double>& expected,
                                 double floor = 1e-30) {
  return max_relative_error(as_doubles(actual), expected, floor);
}
inline double max_relative_error(const Tensor& actual, const Tensor& expected, double floor = 1e-30) {
  return max_relative_error(as_doubles(actual), as_doubles(expected), floor);
}

inline bool same_bits(const Tensor& a_there, const Tensor& b_there) {
  const Tensor a = a_there.to(Device::cpu()), b = b_there.to(Device::cpu());
  if (!(a.shape() == b.shape()) || a.dtype() != b.dtype()) return false;
  const auto row_bytes = static_cast<size_t>(a.width() * size_of(a.dtype()));
  for (int64_t r = 0; r < a.rows() && row_bytes > 0; ++r) {
    const auto* row_a = static_cast<const char*>(a.raw()) + r * a.row_stride() * size_of(a.dtype());
    const auto* row_b = static_cast<const char*>(b.raw()) + r * b.row_stride() * size_of(b.dtype());
    if (std::memcmp(row_a, row_b, row_bytes) != 0) return false;
  }
  return true;
}

// How far rounding takes a chain of `terms` additions, relative to the largest result of a tensor:
// rounding errors have either sign, so the chain's grows with the square root of its length (Higham
// and Mary 2019, SIAM J. Sci. Comput. 41), in units of 2^-p, p being the bits of the significand.
// Four of its standard deviations hold for ten thousand elements at once.
inline double rounding_of_sums(DType dtype, double terms) {
  const int bits = dtype == DType::f64 ? 53 : dtype == DType::f32 ? 24 : 8;
  return 4 * std::sqrt(terms) * std::ldexp(1.0, -bits);
}

// What arithmetic in a type may differ from the f64 reference: a few dozen roundings; bf16 keeps 8
// bits.
inline double tolerance(DType dtype) {
  return dtype == DType::f64 ? 1e-12 : dtype == DType::f32 ? 1e-5 : 4e-3;
}
// The same for gradients, which in bf16 go through two rounded tensors.
inline double backward_tolerance(DType dtype) { return dtype == DType::bf16 ? 8e-3 : tolerance(dtype); }

// A tensor from doubles, rounded to the type.
inline Tensor tensor_of(const std::vector<double>& values, Shape shape, DType dtype,
                        Device device = Device::cpu()) {
  const auto rounded = [&]<typename T>(T) {
    std::vector<T> narrow;
    for (const double value : values) narrow.push_back(static_cast<T>(static_cast<float>(value)));
    return Tensor::from(narrow, shape).to(device);
  };
  switch (dtype) {
    case DType::f64: return Tensor::from(values, shape).to(device);
    case DType::bf16: return rounded(bf16());
    default: return rounded(float());
  }
}

// Outputs begin as NaN, so that an element that a kernel forgot shows.
inline Tensor poisoned(Shape shape, DType dtype, Device device = Device::cpu()) {
  return tensor_of(std::vector<double>(static_cast<size_t>(shape.numel()), std::nan("")), shape, dtype,
                   device);
}

// Uniform in [low, high); the same values on every machine. They are representable in f32, so f32
// and f64 tests and the reference start from equal inputs.
inline std::vector<double> random_values(int64_t count, uint64_t seed, double low = -1, double high = 1) {
  PhiloxSequence sequence(seed, 0);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) value = static_cast<float>(low + (high - low) * sequence.uniform());
  return values;
}
inline Tensor random_tensor(Shape shape, DType dtype, uint64_t seed, double low = -1, double high = 1,
                            Device device = Device::cpu()) {
  return tensor_of(random_values(shape.numel(), seed, low, high), shape, dtype, device);
}

}  // namespace xf::tests
