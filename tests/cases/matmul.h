// Matrix products: shapes, each with its reason, and the plain product of them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plain/matmul.h"

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

// x [columns, rows] -> [rows, columns]
inline std::vector<double> transposed(const std::vector<double>& x, int64_t rows, int64_t columns) {
  std::vector<double> y(x.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) y[i * columns + j] = x[j * rows + i];
  }
  return y;
}

// op(a) [M, K] op(b) [K, N] + start, row-major and contiguous as stored: a is [K, M] when
// transposed, b [N, K].
inline std::vector<double> matmul_reference(const MatmulCase& c, const std::vector<double>& a,
                                            bool transpose_a, const std::vector<double>& b, bool transpose_b,
                                            std::vector<double> start) {
  kernels::plain::matmul(c.M, c.N, c.K, (transpose_a ? transposed(a, c.M, c.K) : a).data(),
                         (transpose_b ? transposed(b, c.K, c.N) : b).data(), start.data());
  return start;
}

}  // namespace xf::tests
