// Gated activation on CUDA, bound by memory: 3e bytes an element forward (GA0), 5e backward, e = 4
// or 2. Mapping and block size: rows.cuh. An output may be an input: a thread reads its elements of
// all inputs before it writes any, and no other thread reads them.
#include "kernels/gated_activation.h"

#include "kernels/cuda/activation_function.cuh"
#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

namespace {

template <typename T, Activation kF>
struct Gate {
  Matrix<const T> gate, up;
  Matrix<T> y;
  bool rows_aligned(int64_t width) const { return all_aligned(width, gate, up, y); }
  template <typename Alignment>
  __device__ void operator()(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    const auto z = gate.load(row, column, left, alignment);
    auto pack = up.load(row, column, left, alignment);
#pragma unroll
    for (int i = 0; i < pack.kCount; ++i) pack.x[i] *= activate<kF>(z.x[i]);
    y.store(pack, row, column, left, alignment);
  }
};

template <typename T, Activation kF>
struct GateBackward {
  Matrix<const T> dy, gate, up;
  Matrix<T> dgate, dup;
  bool rows_aligned(int64_t width) const { return all_aligned(width, dy, gate, up, dgate, dup); }
  template <typename Alignment>
  __device__ void operator()(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    auto to_up = dy.load(row, column, left, alignment);
    const auto z = gate.load(row, column, left, alignment);
    auto to_gate = up.load(row, column, left, alignment);
#pragma unroll
    for (int i = 0; i < z.kCount; ++i) {
      to_gate.x[i] *= to_up.x[i] * slope<kF>(z.x[i]);  // GA1
      to_up.x[i] *= activate<kF>(z.x[i]);              // GA2
    }
    dgate.store(to_gate, row, column, left, alignment);
    dup.store(to_up, row, column, left, alignment);
  }
};

}  // namespace

template <typename T>
void gated_activation_forward(Cuda, const GatedActivationForwardArgs<T>& args) {
  with_constant(args.activation, [&](auto f) {
    for_each_pack<T>(
        args.N, args.F,
        Gate<T, f()>{{args.gate, args.gate_stride}, {args.up, args.up_stride}, {args.y, args.y_stride}});
  });
}

template <typename T>
void gated_activation_backward(Cuda, const GatedActivationBackwardArgs<T>& args) {
  with_constant(args.activation, [&](auto f) {
    for_each_pack<T>(args.N, args.F,
                     GateBackward<T, f()>{{args.dy, args.dy_stride},
                                          {args.gate, args.gate_stride},
                                          {args.up, args.up_stride},
                                          {args.dgate, args.dgate_stride},
                                          {args.dup, args.dup_stride}});
  });
}

XF_INSTANTIATE(gated_activation_forward, GatedActivationForwardArgs);
XF_INSTANTIATE(gated_activation_backward, GatedActivationBackwardArgs);

}  // namespace xf::kernels
