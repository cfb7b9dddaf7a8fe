// Shapes of gated_activation, and what its plain kernel makes of them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plain/gated_activation.h"

namespace xf::tests {

struct GatedActivationCase {
  const char* why;
  int64_t N, F;
};

inline std::vector<GatedActivationCase> gated_activation_cases() {
  return {
      {"smallest", 1, 1},
      {"primes", 7, 13},
      {"around two registers", 5, 33},
      {"one short of a vector", 3, 127},
      {"the tiny model's width", 131, 256},
      {"a wide prime row", 2, 10007},
      {"more rows than a grid's second axis has blocks", 70001, 3},
  };
}

struct GatedActivationReference {
  std::vector<double> y, dgate, dup;
};

inline GatedActivationReference gated_activation_reference(kernels::Activation f, int64_t N, int64_t F,
                                                           const std::vector<double>& gate,
                                                           const std::vector<double>& up,
                                                           const std::vector<double>& dy) {
  GatedActivationReference r{gate, gate, gate};
  kernels::plain::gated_activation_forward(N, F, f, gate.data(), up.data(), r.y.data());
  kernels::plain::gated_activation_backward(N, F, f, dy.data(), gate.data(), up.data(), r.dgate.data(),
                                            r.dup.data());
  return r;
}

}  // namespace xf::tests
