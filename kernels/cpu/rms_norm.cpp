// Root-mean-square normalisation on the CPU: a few rows stay in the first-level cache through their
// passes, so memory is read and written once; threads take runs of them.
#include "kernels/rms_norm.h"

#include <cmath>

#include "kernels/cpu/element.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

namespace {

template <typename A>
A rstd_of_row(const A* x, int64_t D, float eps) {
  A squares = 0;
#pragma omp simd reduction(+ : squares)
  for (int64_t i = 0; i < D; ++i) squares += x[i] * x[i];
  return A{1} / std::sqrt(squares / static_cast<A>(D) + static_cast<A>(eps));
}

// <g * xhat> for RM4;  dgamma += dy * xhat  (RM1).
template <typename A>
A mean_of_row(const A* dy, const A* x, const A* gamma, A rstd, int64_t D, A* dgamma) {
  A sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < D; ++i) {
    const A dy_xhat = dy[i] * (x[i] * rstd);
    dgamma[i] += dy_xhat;
    sum += dy_xhat * gamma[i];
  }
  return sum / static_cast<A>(D);
}

}  // namespace

template <typename T, CpuLevel L>
void rms_norm_forward(Cpu<L>, const RmsNormForwardArgs<T>& args) {
  using A = Acc<T>;
  const int64_t D = args.D;
  const A* const gamma = widened<Scratch::gamma>(args.gamma, D);
  for_each_run<T>(args.N, D, [&](int64_t first, int64_t count) {
    const A* const rows = widened<Scratch::row>(args.x + first * D, count * D);
    A rstd[kRowBlock];
    for (int64_t n = 0; n < count; ++n) rstd[n] = rstd_of_row(rows + n * D, D, args.eps);  // RM0
    for (int64_t n = 0; n < count; ++n) {
      const A* const x = rows + n * D;
      const A scale = rstd[n];
      T* const y = args.y + (first + n) * D;
#pragma omp simd
      for (int64_t i = 0; i < D; ++i) store(gamma[i] * (x[i] * scale), y + i);
      args.rstd[first + n] = scale;
    }
  });
}

template <typename T, CpuLevel L>
void rms_norm_backward(Cpu<L>, const RmsNormBackwardArgs<T>& args) {
  using A = Acc<T>;
  const int64_t D = args.D;
  const A* const gamma = widened<Scratch::gamma>(args.gamma, D);
  const auto add_run = [&](int64_t first, int64_t count, A* partial) {
    const A* const dy_rows = widened<Scratch::upstream>(args.dy + first * D, count * D);
    const A* const rows = widened<Scratch::row>(args.x + first * D, count * D);
    const A* const rstd = args.rstd + first;
    A means[kRowBlock];
    for (int64_t n = 0; n < count; ++n)
      means[n] = mean_of_row(dy_rows + n * D, rows + n * D, gamma, rstd[n], D, partial);
    for (int64_t n = 0; n < count; ++n) {
      const A *const dy = dy_rows + n * D, *const x = rows + n * D;
      const A scale = rstd[n], mean = means[n];
      T* const dx = args.dx + (first + n) * D;
#pragma omp simd
      for (int64_t i = 0; i < D; ++i) {
        const A g = dy[i] * gamma[i], xhat = x[i] * scale;
        store(scale * (g - xhat * mean), dx + i);  // RM4
      }
    }
  };
  const A* dgamma = column_sums_of_runs<A>(args.N, D, rows_of_run<T>(D), D, add_run);
  add_to(dgamma, D, args.dgamma);
}

XF_INSTANTIATE(rms_norm_forward, RmsNormForwardArgs);
XF_INSTANTIATE(rms_norm_backward, RmsNormBackwardArgs);

}  // namespace xf::kernels
