// What the tests of optimisers share.
#pragma once

#include "tests/support/targets.h"

namespace xf::tests {

// Where parameters can be: f32 masters, also of a model that computes in bf16.
inline std::vector<Target> master_targets() {
  auto masters = targets();
  std::erase_if(masters, [](const Target& t) { return t.dtype == DType::bf16; });
  return masters;
}

// The upper halves of the f32 parameters, rounded to nearest even.
inline std::vector<double> rounded_to_bf16(const Tensor& p) {
  std::vector<double> values;
  for (const double value : as_doubles(p))
    values.push_back(static_cast<float>(bf16(static_cast<float>(value))));
  return values;
}

// The error of what refuses bf16 for parameters.
inline std::string bf16_refused(const char* op, Device device) {
  return std::string(op) + ": parameters and their gradients must be " +
         (device == Device::cpu() ? "f32 or f64 on the CPU" : "f32 on CUDA") + ", got bf16";
}

}  // namespace xf::tests
