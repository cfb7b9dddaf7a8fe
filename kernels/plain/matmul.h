// Matrix product and affine map, one loop nest per equation: docs/derivations/matmul.md.
#pragma once

#include <cstdint>

namespace xf::kernels::plain {

inline void matmul(int64_t M, int64_t N, int64_t K,
                   const double* a,  // [M, K]
                   const double* b,  // [K, N]
                   double* c) {      // [M, N], accumulated
  for (int64_t m = 0; m < M; ++m) {
    for (int64_t n = 0; n < N; ++n) {
      for (int64_t k = 0; k < K; ++k) c[m * N + n] += a[m * K + k] * b[k * N + n];  // MM1
    }
  }
}

inline void matmul_backward(int64_t M, int64_t N, int64_t K,
                            const double* dc,  // [M, N]
                            const double* a,   // [M, K]
                            const double* b,   // [K, N]
                            double* da,        // [M, K], accumulated
                            double* db) {      // [K, N], accumulated
  for (int64_t m = 0; m < M; ++m) {
    for (int64_t k = 0; k < K; ++k) {
      for (int64_t n = 0; n < N; ++n) da[m * K + k] += dc[m * N + n] * b[k * N + n];  // MM2
    }
  }
  for (int64_t k = 0; k < K; ++k) {
    for (int64_t n = 0; n < N; ++n) {
      for (int64_t m = 0; m < M; ++m) db[k * N + n] += a[m * K + k] * dc[m * N + n];  // MM3
    }
  }
}

inline void linear_forward(int64_t N, int64_t K, int64_t M,
                           const double* x,     // [N, K]
                           const double* w,     // [M, K]
                           const double* bias,  // [M]
                           double* y) {         // [N, M], written
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t m = 0; m < M; ++m) {
      y[n * M + m] = bias[m];
      for (int64_t k = 0; k < K; ++k) y[n * M + m] += x[n * K + k] * w[m * K + k];  // LI1
    }
  }
}

inline void linear_backward(int64_t N, int64_t K, int64_t M,
                            const double* dy,  // [N, M]
                            const double* x,   // [N, K]
                            const double* w,   // [M, K]
                            double* dx,        // [N, K], accumulated
                            double* dw,        // [M, K], accumulated
                            double* dbias) {   // [M], accumulated
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t m = 0; m < M; ++m) {
      for (int64_t k = 0; k < K; ++k) dx[n * K + k] += dy[n * M + m] * w[m * K + k];  // LI2
      for (int64_t k = 0; k < K; ++k) dw[m * K + k] += dy[n * M + m] * x[n * K + k];  // LI3
      dbias[m] += dy[n * M + m];                                                      // LI4
    }
  }
}

}  // namespace xf::kernels::plain
