// Bias, activation and dropout: shapes, each with its reason. Their plain kernels:
// kernels/plain/activation.h.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plain/activation.h"
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

using kernels::plain::activate;
using kernels::plain::activation_derivative;

}  // namespace xf::tests
