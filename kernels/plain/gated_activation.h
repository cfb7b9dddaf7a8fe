// Gated activation, one loop per equation: docs/derivations/gated_activation.md.
#pragma once

#include <cstdint>

#include "kernels/plain/activation.h"

namespace xf::kernels::plain {

inline void gated_activation_forward(int64_t N, int64_t F, Activation f,
                                     const double* gate,                    // [N, F]
                                     const double* up,                      // [N, F]
                                     double* y) {                           // [N, F], written
  for (int64_t i = 0; i < N * F; ++i) y[i] = activate(f, gate[i]) * up[i];  // GA0
}

inline void gated_activation_backward(int64_t N, int64_t F, Activation f,
                                      const double* dy,    // [N, F]
                                      const double* gate,  // [N, F]
                                      const double* up,    // [N, F]
                                      double* dgate,       // [N, F], written
                                      double* dup) {       // [N, F], written
  for (int64_t i = 0; i < N * F; ++i) dgate[i] = dy[i] * up[i] * activation_derivative(f, gate[i]);  // GA1
  for (int64_t i = 0; i < N * F; ++i) dup[i] = dy[i] * activate(f, gate[i]);                         // GA2
}

}  // namespace xf::kernels::plain
