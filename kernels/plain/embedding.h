// Token embedding with positions and dropout: docs/derivations/embedding.md. Without empty places.
#pragma once

#include <cmath>
#include <cstdint>

namespace xf::kernels::plain {

inline void embedding_forward(int64_t N, int64_t D, double scale,
                              const int32_t* ids,            // [N]
                              const int32_t* positions,      // [N]
                              const double* table,           // [V, D]
                              const double* position_table,  // [P, D]
                              const double* m,               // [N, D], dropout's factors
                              double* x) {                   // [N, D], written
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t i = 0; i < D; ++i) {
      const double word = table[ids[n] * D + i], place = position_table[positions[n] * D + i];
      x[n * D + i] = m[n * D + i] * (scale * word + place);  // EM1
    }
  }
}

inline void quantized_embedding_forward(int64_t N, int64_t D, double scale,
                                        const int32_t* ids,            // [N]
                                        const int32_t* positions,      // [N]
                                        const int64_t* q,              // [V, D]
                                        const double* s,               // [V]
                                        const double* position_table,  // [P, D]
                                        double* x) {                   // [N, D], written
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t i = 0; i < D; ++i) {
      const auto word = static_cast<double>(q[ids[n] * D + i]);
      x[n * D + i] = scale * s[ids[n]] * word + position_table[positions[n] * D + i];  // EM5
    }
  }
}

inline void embedding_backward(int64_t N, int64_t D, double scale,
                               const double* dx,    // [N, D]
                               const int32_t* ids,  // [N]
                               const double* m,     // [N, D]
                               double* dtable) {    // [V, D], accumulated
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t i = 0; i < D; ++i) dtable[ids[n] * D + i] += scale * m[n * D + i] * dx[n * D + i];  // EM2
  }
}

// Element (place, column) of the table of sinusoids, sine and cosine in turn.
inline double sinusoid(int64_t place, int64_t column, int64_t D) {
  const double angle = static_cast<double>(place) /
                       std::pow(10000.0, static_cast<double>(column / 2 * 2) / static_cast<double>(D));
  return column % 2 == 0 ? std::sin(angle) : std::cos(angle);  // EM3
}

}  // namespace xf::kernels::plain
