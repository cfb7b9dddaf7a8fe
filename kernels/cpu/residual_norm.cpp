// Residual + dropout + layer norm on the CPU: one trip through memory per direction; x, s and the
// statistics of a row are used while the row is in the first-level cache.
#include "kernels/residual_norm.h"

#include "kernels/cpu/element.h"
#include "kernels/cpu/layer_norm_run.h"
#include "kernels/cpu/philox_row.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

namespace {

// RN2: out = in * mask / (1-p), or a copy of it without dropout.  out may be in.
template <typename T>
void drop_row(const DropoutArgs& dropout, int64_t n, int64_t D, const T* in, T* out) {
  for_each_dropout_run<Acc<T>>(dropout, n, D, [&](int64_t begin, int64_t count, const Acc<T>* factors) {
    const T* from = in + begin;
    T* to = out + begin;
    if (factors) {
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) store(widen(from[i]) * factors[i], to + i);
    } else if (from != to) {
      std::copy_n(from, count, to);
    }
  });
}

// RN0: sum = x + s * mask / (1-p).  sum may be s.
template <typename T>
void add_dropped_row(const DropoutArgs& dropout, int64_t n, int64_t D, const T* x, const T* s, T* sum) {
  for_each_dropout_run<Acc<T>>(dropout, n, D, [&](int64_t begin, int64_t count, const Acc<T>* factors) {
    const T *residual = x + begin, *from = s + begin;
    T* to = sum + begin;
    if (factors) {
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) store(widen(residual[i]) + widen(from[i]) * factors[i], to + i);
    } else {
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) store(widen(residual[i]) + widen(from[i]), to + i);
    }
  });
}

}  // namespace

template <typename T, CpuLevel L>
void residual_norm_forward(Cpu<L>, const LayerNormForwardArgs<T>& args) {
  const int64_t D = args.D;
  const Acc<T>* const gamma = widened<Scratch::gamma>(args.gamma, D);
  const Acc<T>* const beta = widened<Scratch::beta>(args.beta, D);
  for_each_run<T>(args.N, D, [&](int64_t first, int64_t count) {
    for (int64_t n = first; n < first + count; ++n)
      add_dropped_row(args.dropout, n, D, args.x + n * D, args.s + n * D, args.sum + n * D);
    normalise_run(args.sum + first * D, gamma, beta, count, D, args.eps, args.y + first * D,
                  args.mean + first, args.rstd + first);
  });
}

template <typename T, CpuLevel L>
void residual_norm_backward(Cpu<L>, const LayerNormBackwardArgs<T>& args) {
  const int64_t D = args.D;
  const Acc<T>* const gamma = widened<Scratch::gamma>(args.gamma, D);
  const Acc<T>* sums = column_sums_of_runs<Acc<T>>(
      args.N, D, rows_of_run<T>(D), 2 * D, [&](int64_t first, int64_t count, Acc<T>* partial) {
        T* const dx = args.dx + first * D;
        const T* const dsum = args.dsum ? args.dsum + first * D : nullptr;
        normalise_run_backward<T>(args.dy + first * D, args.x + first * D, gamma, args.mean + first,
                                  args.rstd + first, dsum, count, D, dx, partial);
        for (int64_t n = first; n < first + count; ++n)
          drop_row(args.dropout, n, D, args.dx + n * D, args.ds + n * D);
      });
  add_to(sums, D, args.dgamma);
  add_to(sums + D, D, args.dbeta);
}

XF_INSTANTIATE(residual_norm_forward, LayerNormForwardArgs);
XF_INSTANTIATE(residual_norm_backward, LayerNormBackwardArgs);

}  // namespace xf::kernels
