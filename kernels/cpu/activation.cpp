// Bias, activation and dropout on the CPU: one trip through memory per direction. The backward pass
// of relu needs no random words: a > 0 already says that the element was active and kept.
#include "kernels/activation.h"

#include "kernels/cpu/activation_function.h"
#include "kernels/cpu/element.h"
#include "kernels/cpu/philox_row.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

namespace {

// AC0. factors: 0 or 1/(1-p) per element; not read when !kDrop, a constant because a choice inside
// would not vectorise.
template <typename T, Activation kF, bool kDrop>
void forward_run(const T* x, const T* bias, const Acc<T>* factors, int64_t n, T* a) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const Acc<T> active = activate<kF>(widen(x[i]) + widen(bias[i]));
    store(kDrop ? active * factors[i] : active, a + i);
  }
}

// AC5 and AC6 of AC2
template <typename T>
void relu_backward_row(const T* da, const T* a, Acc<T> scale, int64_t F, T* dx, Acc<T>* dbias) {
#pragma omp simd
  for (int64_t i = 0; i < F; ++i) {
    const Acc<T> d = widen(a[i]) > Acc<T>{0} ? widen(da[i]) * scale : Acc<T>{0};
    store(d, dx + i);
    dbias[i] += d;
  }
}

// AC5 and AC6 where the input was kept
template <typename T, Activation kF, bool kDrop>
void backward_run(const T* da, const T* x, const T* bias, const Acc<T>* factors, int64_t n, T* dx,
                  Acc<T>* dbias) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const Acc<T> z = widen(x[i]) + widen(bias[i]);
    const Acc<T> kept = kDrop ? widen(da[i]) * factors[i] : widen(da[i]);
    const Acc<T> d = kept * slope<kF>(z);
    store(d, dx + i);
    dbias[i] += d;
  }
}

}  // namespace

template <typename T, CpuLevel L>
void bias_activation_forward(Cpu<L>, const BiasActivationForwardArgs<T>& args) {
  with_constant(args.activation, [&](auto f) {
    constexpr Activation kF = f();
    const auto run = args.dropout.active() ? forward_run<T, kF, true> : forward_run<T, kF, false>;
    for_each_row(args.N, args.F, [&](int64_t row) {
      const int64_t at = row * args.F;
      for_each_dropout_run<Acc<T>>(
          args.dropout, row, args.F, [&](int64_t begin, int64_t n, const Acc<T>* factors) {
            run(args.x + at + begin, args.bias + begin, factors, n, args.a + at + begin);
          });
    });
  });
}

template <typename T, CpuLevel L>
void bias_activation_backward(Cpu<L>, const BiasActivationBackwardArgs<T>& args) {
  with_constant(args.activation, [&](auto f) {
    constexpr Activation kF = f();
    const auto add_row = [&](int64_t row, Acc<T>* partial) {
      const int64_t at = row * args.F;
      if constexpr (keeps_input(kF)) {
        const auto run = args.dropout.active() ? backward_run<T, kF, true> : backward_run<T, kF, false>;
        for_each_dropout_run<Acc<T>>(args.dropout, row, args.F,
                                     [&](int64_t begin, int64_t n, const Acc<T>* factors) {
                                       run(args.da + at + begin, args.saved + at + begin, args.bias + begin,
                                           factors, n, args.dx + at + begin, partial + begin);
                                     });
      } else {
        const Acc<T> scale = args.dropout.scale;
        relu_backward_row(args.da + at, args.saved + at, scale, args.F, args.dx + at, partial);
      }
    };
    const Acc<T>* const sums = column_sums<Acc<T>>(args.N, args.F, args.F, add_row);
    add_to(sums, args.F, args.dbias);
  });
}

XF_INSTANTIATE(bias_activation_forward, BiasActivationForwardArgs);
XF_INSTANTIATE(bias_activation_backward, BiasActivationBackwardArgs);

}  // namespace xf::kernels
