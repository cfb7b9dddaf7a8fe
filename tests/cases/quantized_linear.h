// Affine maps in eight bits: shapes, each with its reason, and what the plain kernel makes of them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plain/quantized_linear.h"
#include "kernels/quantized_linear.h"

namespace xf::tests {

struct QuantizedLinearCase {
  const char* reason;
  int64_t N, K, M;  // rows, inputs, outputs
};

inline std::vector<QuantizedLinearCase> quantized_linear_cases() {
  return {{"smallest", 1, 1, 1},
          {"primes", 5, 3, 7},
          {"one row, whole strips and quads", 1, 64, 128},
          {"one row, a strip and one output, a quad and one input", 1, 65, 17},
          {"two rows, four strips and one", 2, 12, 79},
          {"three inputs of a last quad", 3, 67, 33},
          {"one row less than a tile", 7, 31, 48},
          {"a tile", 8, 32, 32},
          {"tiles and what is left of rows and outputs", 29, 130, 45},
          {"rows enough for each thread to have its own", 131, 33, 31},
          {"more rows than a block of them", 1040, 257, 16},
          {"inputs beyond 2^24 / 127^2, where f32 no longer holds every sum", 2, 1100, 18}};
}

inline kernels::QuantizedWeights rounded_and_packed(const Tensor& w) {
  const Tensor values = Tensor::zeros(w.shape(), DType::i8), scales = Tensor::zeros({w.rows()}, DType::f32);
  kernels::round_weights(w, values, scales);
  const kernels::QuantizedWeights packed = kernels::quantized_weights(w.rows(), w.width());
  kernels::pack_weights(values, scales, packed);
  return packed;
}

struct RoundedRows {
  std::vector<int64_t> values;  // [N, K]
  std::vector<double> scales;   // [N]
};

inline RoundedRows rounded_rows(const std::vector<double>& rows, int64_t N, int64_t K) {
  RoundedRows result{std::vector<int64_t>(rows.size()), std::vector<double>(static_cast<size_t>(N))};
  for (int64_t n = 0; n < N; ++n) {
    result.scales[static_cast<size_t>(n)] =
        kernels::plain::quantize_row(K, rows.data() + n * K, result.values.data() + n * K);
  }
  return result;
}

// y [N, M] of x [N, K], w [M, K], bias [M].
inline std::vector<double> quantized_linear_reference(const QuantizedLinearCase& c,
                                                      const std::vector<double>& x,
                                                      const std::vector<double>& w,
                                                      const std::vector<double>& bias) {
  const RoundedRows p = rounded_rows(x, c.N, c.K), q = rounded_rows(w, c.M, c.K);
  std::vector<double> y;
  for (int64_t n = 0; n < c.N; ++n) {
    for (int64_t m = 0; m < c.M; ++m) {
      const auto row = static_cast<size_t>(n), output = static_cast<size_t>(m);
      y.push_back(kernels::plain::quantized_product(c.K, p.values.data() + n * c.K, p.scales[row],
                                                    q.values.data() + m * c.K, q.scales[output],
                                                    bias[output]));
    }
  }
  return y;
}

}  // namespace xf::tests
