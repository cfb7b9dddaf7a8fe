// Layer normalisation, one loop per equation: docs/derivations/layer_norm.md.
#pragma once

#include <cmath>
#include <cstdint>

namespace xf::kernels::plain {

inline void layer_norm_forward(int64_t N, int64_t D, double eps,
                               const double* x,      // [N, D]
                               const double* gamma,  // [D]
                               const double* beta,   // [D]
                               double* y,            // [N, D], written
                               double* mean,         // [N], written
                               double* rstd) {       // [N], written
  for (int64_t n = 0; n < N; ++n) {
    const double* const row = x + n * D;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < D; ++i) sum += row[i];
    mean[n] = sum / static_cast<double>(D);
    for (int64_t i = 0; i < D; ++i) squares += (row[i] - mean[n]) * (row[i] - mean[n]);
    rstd[n] = 1 / std::sqrt(squares / static_cast<double>(D) + eps);
    for (int64_t i = 0; i < D; ++i) y[n * D + i] = gamma[i] * (row[i] - mean[n]) * rstd[n] + beta[i];  // LN0
  }
}

inline void layer_norm_backward(int64_t N, int64_t D,
                                const double* dy,     // [N, D]
                                const double* x,      // [N, D]
                                const double* gamma,  // [D]
                                const double* mean,   // [N]
                                const double* rstd,   // [N]
                                double* dx,           // [N, D], written
                                double* dgamma,       // [D], accumulated
                                double* dbeta) {      // [D], accumulated
  const auto xhat = [&](int64_t n, int64_t i) { return (x[n * D + i] - mean[n]) * rstd[n]; };
  const auto g = [&](int64_t n, int64_t i) { return dy[n * D + i] * gamma[i]; };  // LN3
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t i = 0; i < D; ++i) dbeta[i] += dy[n * D + i];                // LN1
    for (int64_t i = 0; i < D; ++i) dgamma[i] += dy[n * D + i] * xhat(n, i);  // LN2
    double g_mean = 0, g_xhat_mean = 0;
    for (int64_t i = 0; i < D; ++i) g_mean += g(n, i) / static_cast<double>(D);
    for (int64_t i = 0; i < D; ++i) g_xhat_mean += g(n, i) * xhat(n, i) / static_cast<double>(D);
    for (int64_t j = 0; j < D; ++j) {
      dx[n * D + j] = rstd[n] * (g(n, j) - g_mean - xhat(n, j) * g_xhat_mean);  // LN5
    }
  }
}

}  // namespace xf::kernels::plain
