// Dropout's factor of one element, from the definition: docs/derivations/dropout.md.
#pragma once

#include <cstdint>

#include "kernels/dropout.h"

namespace xf::kernels::plain {

// 0 or 1/(1-p), the latter rounded to f32 as every backend receives it. The dropout's counter is on
// the CPU.
inline double dropout_factor(const Dropout& dropout, int64_t row, int64_t column) {
  if (dropout.p == 0) return 1;
  const int32_t* const counter = dropout.counter.data<int32_t>();
  const Philox words =
      Philox::at(static_cast<uint32_t>(column / 4), static_cast<uint32_t>(counter[1] + row), dropout.site,
                 static_cast<uint32_t>(counter[0]), static_cast<uint32_t>(dropout.seed),
                 static_cast<uint32_t>(dropout.seed >> 32));
  const bool kept = words.x[column % 4] >= static_cast<double>(dropout.p) * 0x1p32;
  return kept ? static_cast<double>(1.0f / (1.0f - dropout.p)) : 0;  // DR1
}

// y = dropout(x), and with dy in x's place dx: the same factors, both ways.
inline void dropout(int64_t N, int64_t D, const Dropout& dropout,
                    const double* x,  // [N, D]
                    double* y) {      // [N, D], written; may be x
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t i = 0; i < D; ++i) y[n * D + i] = dropout_factor(dropout, n, i) * x[n * D + i];  // DR2, DR3
  }
}

}  // namespace xf::kernels::plain
