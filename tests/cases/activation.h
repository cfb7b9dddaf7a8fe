// Bias, activation and dropout: shapes, each with its reason, and the activations in f64. Dropout:
// dropout_factor.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/activation.h"
#include "tests/cases/dropout_factor.h"

namespace xf::tests {

struct ActivationCase {
  const char* reason;
  int64_t N, F;
};

inline std::vector<ActivationCase> activation_cases() {
  return {
      {"smallest", 1, 1},
      {"primes", 7, 13},
      {"around two registers", 5, 33},
      {"around a run of dropout columns", 3, 127},
      {"just past a run of dropout columns", 4, 129},
      {"past a block of rows, the tiny model's width", 131, 256},
      {"a wide row", 2, 10007},
      {"more rows than a grid's second axis has blocks", 70001, 3},
  };
}

inline double activation_reference(kernels::Activation activation, double z) {
  return activation == kernels::Activation::relu ? (z > 0 ? z : 0)
                                                 : 0.5 * z * (1 + std::erf(z / std::sqrt(2.0)));
}

inline double activation_derivative(kernels::Activation activation, double z) {
  if (activation == kernels::Activation::relu) return z > 0 ? 1 : 0;
  const double pi = std::acos(-1.0);
  return 0.5 * (1 + std::erf(z / std::sqrt(2.0))) + z * std::exp(-0.5 * z * z) / std::sqrt(2 * pi);
}

}  // namespace xf::tests
