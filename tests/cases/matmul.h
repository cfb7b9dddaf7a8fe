// Matrix products: shapes, each with its reason, and the definition in f64.
#pragma once

#include <cstdint>
#include <vector>

namespace xf::tests {

struct MatmulCase {
  const char* reason;
  int64_t M, N, K;
};

inline std::vector<MatmulCase> matmul_cases() {
  return {
      {"smallest", 1, 1, 1},
      {"primes", 7, 13, 5},
      {"three of everything", 3, 3, 3},
      {"one row, as in decoding", 1, 129, 31},
      {"one column", 33, 1, 127},
      {"around a register", 31, 33, 32},
      {"around two registers and a tile", 127, 129, 65},
      {"more terms than a stage holds", 33, 31, 129},
      {"the tiny model's feed-forward", 64, 256, 128},
      {"no terms to add: zero, or what was there", 3, 4, 0},
  };
}

// op(a) [M, K] op(b) [K, N] + c, row-major and contiguous as stored: a is [K, M] when transposed, b [N, K].
inline std::vector<double> matmul_reference(const MatmulCase& c, const std::vector<double>& a,
                                            bool transpose_a, const std::vector<double>& b, bool transpose_b,
                                            std::vector<double> start) {
  for (int64_t m = 0; m < c.M; ++m) {
    for (int64_t n = 0; n < c.N; ++n) {
      for (int64_t k = 0; k < c.K; ++k) {
        start[m * c.N + n] +=
            a[transpose_a ? k * c.M + m : m * c.K + k] * b[transpose_b ? n * c.K + k : k * c.N + n];
      }
    }
  }
  return start;
}

}  // namespace xf::tests
