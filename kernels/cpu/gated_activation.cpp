// Gated activation on the CPU: one trip through memory per direction; threads take runs of rows.
#include "kernels/gated_activation.h"

#include "kernels/cpu/activation_function.h"
#include "kernels/cpu/element.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

namespace {

template <typename T, Activation kF>
void forward_row(const T* gate, const T* up, int64_t F, T* y) {
#pragma omp simd
  for (int64_t i = 0; i < F; ++i) store(activate<kF>(widen(gate[i])) * widen(up[i]), y + i);  // GA0
}

template <typename T, Activation kF>
void backward_row(const T* dy, const T* gate, const T* up, int64_t F, T* dgate, T* dup) {
#pragma omp simd
  for (int64_t i = 0; i < F; ++i) {
    const Acc<T> d = widen(dy[i]), z = widen(gate[i]), u = widen(up[i]);
    store(d * u * slope<kF>(z), dgate + i);  // GA1
    store(d * activate<kF>(z), dup + i);     // GA2
  }
}

}  // namespace

template <typename T, CpuLevel L>
void gated_activation_forward(Cpu<L>, const GatedActivationForwardArgs<T>& args) {
  with_constant(args.activation, [&](auto f) {
    for_each_row(args.N, args.F, [&](int64_t n) {
      forward_row<T, f()>(args.gate + n * args.gate_stride, args.up + n * args.up_stride, args.F,
                          args.y + n * args.y_stride);
    });
  });
}

template <typename T, CpuLevel L>
void gated_activation_backward(Cpu<L>, const GatedActivationBackwardArgs<T>& args) {
  with_constant(args.activation, [&](auto f) {
    for_each_row(args.N, args.F, [&](int64_t n) {
      backward_row<T, f()>(args.dy + n * args.dy_stride, args.gate + n * args.gate_stride,
                           args.up + n * args.up_stride, args.F, args.dgate + n * args.dgate_stride,
                           args.dup + n * args.dup_stride);
    });
  });
}

XF_INSTANTIATE(gated_activation_forward, GatedActivationForwardArgs);
XF_INSTANTIATE(gated_activation_backward, GatedActivationBackwardArgs);

}  // namespace xf::kernels
