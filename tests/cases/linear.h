// Affine maps: shapes. Their reference is matmul's and the activation's, composed in the test.
#pragma once

#include <cstdint>
#include <vector>

namespace xf::tests {

struct LinearCase {
  const char* reason;
  int64_t N, K, M;  // rows, inputs, outputs
};

inline std::vector<LinearCase> linear_cases() {
  return {{"smallest", 1, 1, 1},
          {"primes", 5, 3, 7},
          {"one row, as in decoding", 1, 33, 32},
          {"around a register", 31, 33, 17},
          {"past a row block", 129, 8, 31},
          {"rows of whole 16 bytes", 33, 16, 24},
          {"two rows of whole registers, as in decoding", 2, 32, 37},
          {"blocks of rows and what is left, panels of outputs and what is left", 29, 32, 45}};
}

}  // namespace xf::tests
