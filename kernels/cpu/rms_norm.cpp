// Root-mean-square normalisation on the CPU: a row stays in the first-level cache through its passes, so memory
// is read and written once; threads take runs of rows.
#include "kernels/rms_norm.h"

#include <cmath>

#include "kernels/cpu/level.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

template <typename T, CpuLevel L>
void rms_norm_forward(Cpu<L>, const RmsNormForwardArgs<T>& args) {
  using A = Acc<T>;
  const int64_t D = args.D;
  for_each_row(args.N, D, [&](int64_t n) {
    const T* const x = args.x + n * D;
    T* const y = args.y + n * D;
    A squares = 0;  // RM0
#pragma omp simd reduction(+ : squares)
    for (int64_t i = 0; i < D; ++i) squares += widen(x[i]) * widen(x[i]);
    const A rstd = A{1} / std::sqrt(squares / static_cast<A>(D) + static_cast<A>(args.eps));
#pragma omp simd
    for (int64_t i = 0; i < D; ++i) store(widen(args.gamma[i]) * (widen(x[i]) * rstd), y + i);
    args.rstd[n] = rstd;
  });
}

template <typename T, CpuLevel L>
void rms_norm_backward(Cpu<L>, const RmsNormBackwardArgs<T>& args) {
  using A = Acc<T>;
  const int64_t D = args.D;
  const A* dgamma = column_sums<A>(args.N, D, D, [&](int64_t n, A* partial) {
    const T *const dy = args.dy + n * D, *const x = args.x + n * D;
    T* const dx = args.dx + n * D;
    const A rstd = args.rstd[n];
    A g_xhat_sum = 0;
#pragma omp simd reduction(+ : g_xhat_sum)
    for (int64_t i = 0; i < D; ++i) {
      const A dy_xhat = widen(dy[i]) * (widen(x[i]) * rstd);
      partial[i] += dy_xhat;  // RM1
      g_xhat_sum += dy_xhat * widen(args.gamma[i]);
    }
    const A g_xhat_mean = g_xhat_sum / static_cast<A>(D);
#pragma omp simd
    for (int64_t i = 0; i < D; ++i) {
      const A g = widen(dy[i]) * widen(args.gamma[i]), xhat = widen(x[i]) * rstd;
      store(rstd * (g - xhat * g_xhat_mean), dx + i);  // RM4
    }
  });
  add_to(dgamma, D, args.dgamma);
}

template void rms_norm_forward(Cpu<kLevel>, const RmsNormForwardArgs<float>&);
template void rms_norm_forward(Cpu<kLevel>, const RmsNormForwardArgs<double>&);
template void rms_norm_forward(Cpu<kLevel>, const RmsNormForwardArgs<bf16>&);
template void rms_norm_backward(Cpu<kLevel>, const RmsNormBackwardArgs<float>&);
template void rms_norm_backward(Cpu<kLevel>, const RmsNormBackwardArgs<double>&);
template void rms_norm_backward(Cpu<kLevel>, const RmsNormBackwardArgs<bf16>&);

}  // namespace xf::kernels
