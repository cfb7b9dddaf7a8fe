// A few rows of layer normalisation, forward and backward (docs/derivations/layer_norm.md), for the
// ops that contain it.
#pragma once

#include <cmath>

#include "kernels/cpu/element.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

// A row's mean, and 1 / sqrt(variance + eps) about it.
template <typename A>
inline A mean_of_row(const A* x, int64_t D) {
  A sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < D; ++i) sum += x[i];
  return sum / static_cast<A>(D);
}
template <typename A>
inline A rstd_of_row(const A* x, A mean, int64_t D, float eps) {
  A squares = 0;
#pragma omp simd reduction(+ : squares)
  for (int64_t i = 0; i < D; ++i) squares += (x[i] - mean) * (x[i] - mean);
  return A{1} / std::sqrt(squares / static_cast<A>(D) + static_cast<A>(eps));
}

// y = gamma * (x - mean) * rstd + beta  (LN0), of a run of N rows (rows.h); gamma and beta are
// widened() once for all runs. y may be the rows.
template <typename T>
inline void normalise_run(const T* rows, const Acc<T>* gamma, const Acc<T>* beta, int64_t N, int64_t D,
                          float eps, T* y, Acc<T>* mean, Acc<T>* rstd) {
  using A = Acc<T>;
  const A* const wide = widened<Scratch::row>(rows, N * D);
  for (int64_t n = 0; n < N; ++n) mean[n] = mean_of_row(wide + n * D, D);
  for (int64_t n = 0; n < N; ++n) rstd[n] = rstd_of_row(wide + n * D, mean[n], D, eps);
  for (int64_t n = 0; n < N; ++n) {
    const A* const x = wide + n * D;
    const A row_mean = mean[n], row_rstd = rstd[n];
    T* const to = y + n * D;
#pragma omp simd
    for (int64_t i = 0; i < D; ++i) {
      const A xhat = (x[i] - row_mean) * row_rstd;
      store(gamma[i] * xhat + beta[i], to + i);
    }
  }
}

template <typename A>
struct GradientMeans {
  A g, g_xhat;
};

// Backward, of one row: <g> and <g * xhat> for LN5;  dgamma += dy * xhat, dbeta += dy  (LN2, LN1).
template <typename A>
inline GradientMeans<A> means_of_row(const A* dy, const A* x, const A* gamma, A mean, A rstd, int64_t D,
                                     A* dgamma, A* dbeta) {
  A g_sum = 0, g_xhat_sum = 0;
#pragma omp simd reduction(+ : g_sum, g_xhat_sum)
  for (int64_t i = 0; i < D; ++i) {
    const A xhat = (x[i] - mean) * rstd;
    const A g = dy[i] * gamma[i];
    g_sum += g;
    g_xhat_sum += g * xhat;
    dgamma[i] += dy[i] * xhat;
    dbeta[i] += dy[i];
  }
  return {g_sum / static_cast<A>(D), g_xhat_sum / static_cast<A>(D)};
}

// dx = rstd * (g - <g> - xhat * <g * xhat>) + dsum  (LN5, RN1), dsum optional. dx may be dy or
// dsum.
template <typename T>
inline void gradient_of_row(const Acc<T>* dy, const Acc<T>* x, const Acc<T>* gamma, Acc<T> mean, Acc<T> rstd,
                            GradientMeans<Acc<T>> means, const T* dsum, int64_t D, T* dx) {
  const auto dx_at = [=](int64_t i) {
    const Acc<T> xhat = (x[i] - mean) * rstd;
    return rstd * (dy[i] * gamma[i] - means.g - xhat * means.g_xhat);
  };
  if (dsum) {
#pragma omp simd
    for (int64_t i = 0; i < D; ++i) store(dx_at(i) + widen(dsum[i]), dx + i);
  } else {
#pragma omp simd
    for (int64_t i = 0; i < D; ++i) store(dx_at(i), dx + i);
  }
}

// Both of a run of at most kRowBlock rows;  sums [2D] are dgamma and dbeta.
template <typename T>
inline void normalise_run_backward(const T* dy_rows, const T* rows, const Acc<T>* gamma, const Acc<T>* mean,
                                   const Acc<T>* rstd, const T* dsum, int64_t N, int64_t D, T* dx,
                                   Acc<T>* sums) {
  const auto* const x = widened<Scratch::row>(rows, N * D);
  const auto* const dy = widened<Scratch::upstream>(dy_rows, N * D);
  GradientMeans<Acc<T>> means[kRowBlock];
  for (int64_t n = 0; n < N; ++n)
    means[n] = means_of_row(dy + n * D, x + n * D, gamma, mean[n], rstd[n], D, sums, sums + D);
  for (int64_t n = 0; n < N; ++n)
    gradient_of_row(dy + n * D, x + n * D, gamma, mean[n], rstd[n], means[n], dsum ? dsum + n * D : nullptr,
                    D, dx + n * D);
}

}  // namespace xf::kernels
