// One row of layer normalisation, forward and backward (docs/derivations/layer_norm.md), for the ops that
// contain it.
#pragma once

#include <cmath>

#include "kernels/cpu/element.h"

namespace xf::kernels {

template <typename T>
struct RowStatistics {
  Acc<T> mean, rstd;
};

// y = gamma * (x - mean) * rstd + beta  (LN0).  y may be x.
template <typename T>
inline RowStatistics<T> normalise_row(const T* x, const T* gamma, const T* beta, int64_t D, float eps, T* y) {
  using A = Acc<T>;
  const A width = static_cast<A>(D);
  A sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < D; ++i) sum += widen(x[i]);
  const A mean = sum / width;
  A squares = 0;
#pragma omp simd reduction(+ : squares)
  for (int64_t i = 0; i < D; ++i) squares += (widen(x[i]) - mean) * (widen(x[i]) - mean);
  const A rstd = A{1} / std::sqrt(squares / width + static_cast<A>(eps));
#pragma omp simd
  for (int64_t i = 0; i < D; ++i) {
    const A xhat = (widen(x[i]) - mean) * rstd;
    store(widen(gamma[i]) * xhat + widen(beta[i]), y + i);
  }
  return {mean, rstd};
}

// dx = rstd * (g - <g> - xhat * <g * xhat>) + dsum  (LN5, RN1), dsum optional;  sums [2D] += {dy * xhat, dy}  (LN2, LN1).
// dx may be dy or dsum.
template <typename T>
inline void normalise_row_backward(const T* dy, const T* x, const T* gamma, RowStatistics<T> saved,
                                   const T* dsum, int64_t D, T* dx, Acc<T>* sums) {
  using A = Acc<T>;
  const A mean = saved.mean, rstd = saved.rstd;
  A* const dgamma = sums;
  A* const dbeta = sums + D;
  A g_sum = 0, g_xhat_sum = 0;
#pragma omp simd reduction(+ : g_sum, g_xhat_sum)
  for (int64_t i = 0; i < D; ++i) {
    const A xhat = (widen(x[i]) - mean) * rstd;
    const A upstream = widen(dy[i]);
    const A g = upstream * widen(gamma[i]);
    g_sum += g;
    g_xhat_sum += g * xhat;
    dgamma[i] += upstream * xhat;
    dbeta[i] += upstream;
  }
  const A g_mean = g_sum / static_cast<A>(D), g_xhat_mean = g_xhat_sum / static_cast<A>(D);
  const auto dx_at = [=](int64_t i) {
    const A xhat = (widen(x[i]) - mean) * rstd;
    return rstd * (widen(dy[i]) * widen(gamma[i]) - g_mean - xhat * g_xhat_mean);
  };
  if (dsum) {
#pragma omp simd
    for (int64_t i = 0; i < D; ++i) store(dx_at(i) + widen(dsum[i]), dx + i);
  } else {
#pragma omp simd
    for (int64_t i = 0; i < D; ++i) store(dx_at(i), dx + i);
  }
}

}  // namespace xf::kernels
