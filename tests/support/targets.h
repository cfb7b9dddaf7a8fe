// Where and in which types an op is tested: on the CPU, or in a process that was asked to, on a
// CUDA device (a real one or the software GPU of tests/sim).
#pragma once

#include <cstdlib>
#include <string_view>
#include <vector>

#include "tests/support/compare.h"

namespace xf::tests {

struct Target {
  Device device;
  DType dtype;

  // Relative to the largest expected value (tests/support/compare.h).
  double forward_tolerance() const { return tolerance(dtype); }
  double gradient_tolerance() const { return backward_tolerance(dtype); }
  DType accumulator() const { return accumulator_of(dtype); }

  Tensor tensor(const std::vector<double>& values, Shape shape) const {
    return tensor_of(values, shape, dtype, device);
  }
  Tensor random(Shape shape, uint64_t seed, double low = -1, double high = 1) const {
    return random_tensor(shape, dtype, seed, low, high, device);
  }
  Tensor poisoned(Shape shape) const { return tests::poisoned(shape, dtype, device); }
  // Sums and statistics, in the accumulator's type.
  Tensor poisoned_sums(Shape shape) const { return tests::poisoned(shape, accumulator(), device); }
  Tensor sums(const std::vector<double>& values, Shape shape) const {
    return tensor_of(values, shape, accumulator(), device);
  }
  Tensor ids(const std::vector<int32_t>& values) const { return Tensor::from(values).to(device); }
  Tensor ids(const std::vector<int32_t>& values, Shape shape) const {
    return Tensor::from(values, shape).to(device);
  }
};

inline std::string name_of(const Target& target) {
  return xf::name_of(target.device) + " " + xf::name_of(target.dtype);
}

// XF_TEST_DEVICE=cuda asks for the CUDA device; nothing, for the CPU. Tests that go through
// targets() have the tag [device], so that ctest runs them once per device.
inline Device test_device() {
  const char* const asked = std::getenv("XF_TEST_DEVICE");
  return asked && std::string_view(asked) == "cuda" ? Device::cuda() : Device::cpu();
}
inline std::vector<Target> targets() {
  const Device device = test_device();
  if (device == Device::cpu()) return {{device, DType::f32}, {device, DType::f64}, {device, DType::bf16}};
  return {{device, DType::f32}, {device, DType::bf16}};
}

}  // namespace xf::tests
