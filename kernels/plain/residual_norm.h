// The residual connection before a layer normalisation: docs/derivations/residual.md. The norm
// itself: layer_norm.h.
#pragma once

#include <cstdint>

namespace xf::kernels::plain {

inline void residual(int64_t size,
                     const double* x,                              // [size]
                     const double* s,                              // [size]
                     const double* m,                              // [size], dropout's factors
                     double* sum) {                                // [size], written
  for (int64_t i = 0; i < size; ++i) sum[i] = x[i] + m[i] * s[i];  // RN0
}

inline void residual_backward(int64_t size,
                              const double* norm_dx,  // [size], what layer_norm_backward gives the
                                                      // sum
                              const double* dsum,     // [size], what reaches the sum from elsewhere
                              const double* m,        // [size]
                              double* dx,             // [size], written
                              double* ds) {           // [size], written
  for (int64_t i = 0; i < size; ++i) dx[i] = norm_dx[i] + dsum[i];  // RN1
  for (int64_t i = 0; i < size; ++i) ds[i] = m[i] * dx[i];          // RN2
}

}  // namespace xf::kernels::plain
