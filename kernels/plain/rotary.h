// Rotary positions, one loop per equation: docs/derivations/rotary.md.
#pragma once

#include <cmath>
#include <cstdint>

namespace xf::kernels::plain {

inline double rotary_angle(double base, int64_t s, int64_t i, int64_t P) {
  return static_cast<double>(s) * std::pow(base, -static_cast<double>(i) / static_cast<double>(P));  // RO0
}

inline void rotary_forward(int64_t T, int64_t H, int64_t P, double base,
                           const double* x,           // [T, H, 2, P]
                           const int32_t* positions,  // [T]
                           double* y) {               // [T, H, 2, P], written
  for (int64_t t = 0; t < T; ++t) {
    for (int64_t h = 0; h < H; ++h) {
      const double* const in = x + (t * H + h) * 2 * P;
      double* const out = y + (t * H + h) * 2 * P;
      for (int64_t i = 0; i < P; ++i) {
        const double angle = rotary_angle(base, positions[t], i, P);
        out[i] = in[i] * std::cos(angle) - in[P + i] * std::sin(angle);  // RO1
        out[P + i] = in[i] * std::sin(angle) + in[P + i] * std::cos(angle);
      }
    }
  }
}

inline void rotary_backward(int64_t T, int64_t H, int64_t P, double base,
                            const double* dy,          // [T, H, 2, P]
                            const int32_t* positions,  // [T]
                            double* dx) {              // [T, H, 2, P], written
  for (int64_t t = 0; t < T; ++t) {
    for (int64_t h = 0; h < H; ++h) {
      const double* const in = dy + (t * H + h) * 2 * P;
      double* const out = dx + (t * H + h) * 2 * P;
      for (int64_t i = 0; i < P; ++i) {
        const double angle = rotary_angle(base, positions[t], i, P);
        out[i] = in[i] * std::cos(angle) + in[P + i] * std::sin(angle);  // RO2
        out[P + i] = in[P + i] * std::cos(angle) - in[i] * std::sin(angle);
      }
    }
  }
}

}  // namespace xf::kernels::plain
