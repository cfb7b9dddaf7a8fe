// Root-mean-square normalisation, one loop per equation: docs/derivations/rms_norm.md.
#pragma once

#include <cmath>
#include <cstdint>

namespace xf::kernels::plain {

inline void rms_norm_forward(int64_t N, int64_t D, double eps,
                             const double* x,      // [N, D]
                             const double* gamma,  // [D]
                             double* y,            // [N, D], written
                             double* rstd) {       // [N], written
  for (int64_t n = 0; n < N; ++n) {
    double squares = 0;
    for (int64_t i = 0; i < D; ++i) squares += x[n * D + i] * x[n * D + i];
    rstd[n] = 1 / std::sqrt(squares / static_cast<double>(D) + eps);
    for (int64_t i = 0; i < D; ++i) y[n * D + i] = gamma[i] * x[n * D + i] * rstd[n];  // RM0
  }
}

inline void rms_norm_backward(int64_t N, int64_t D,
                              const double* dy,     // [N, D]
                              const double* x,      // [N, D]
                              const double* gamma,  // [D]
                              const double* rstd,   // [N]
                              double* dx,           // [N, D], written
                              double* dgamma) {     // [D], accumulated
  const auto xhat = [&](int64_t n, int64_t i) { return x[n * D + i] * rstd[n]; };
  const auto g = [&](int64_t n, int64_t i) { return dy[n * D + i] * gamma[i]; };  // RM2
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t i = 0; i < D; ++i) dgamma[i] += dy[n * D + i] * xhat(n, i);  // RM1
    double g_xhat_mean = 0;
    for (int64_t i = 0; i < D; ++i) g_xhat_mean += g(n, i) * xhat(n, i) / static_cast<double>(D);
    for (int64_t j = 0; j < D; ++j) dx[n * D + j] = rstd[n] * (g(n, j) - xhat(n, j) * g_xhat_mean);  // RM4
  }
}

}  // namespace xf::kernels::plain
