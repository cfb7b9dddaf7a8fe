// Bias, activation and dropout on CUDA: one trip through memory per direction, 2e bytes an element
// forward (AC0), 3e backward (da and saved in, dx out). Forward: rows.cuh. Backward: its column
// sums, so that dbias costs no second read of dx; dx may be da because a thread reads an element
// before it writes it, and no other thread reads it. The backward pass of relu needs no random
// words: a > 0 already says that the element was active and kept.
#include "kernels/activation.h"

#include "kernels/cuda/activation_function.cuh"
#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

namespace {

template <typename T, Activation kF>
struct Forward {
  Matrix<const T> x, bias;
  Matrix<T> a;
  DropoutArgs dropout;
  bool rows_aligned(int64_t width) const { return all_aligned(width, x, bias, a); }
  template <typename Alignment>
  __device__ void operator()(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    auto pack = x.load(row, column, left, alignment);
    const auto shift = bias.load(0, column, left, alignment);
#pragma unroll
    for (int i = 0; i < pack.kCount; ++i) pack.x[i] = activate<kF>(pack.x[i] + shift.x[i]);
    drop(dropout, row, column, pack);
    a.store(pack, row, column, left, alignment);
  }
};

// AC5 of AC2: dx = da * mask / (1-p) * f'(x + bias), stored and returned; its column sums are AC6.
template <typename T>
struct ReluBackward {
  static constexpr int kUnrolled = 4;
  Matrix<const T> da, a;
  Matrix<T> dx;
  float scale;
  struct Read {
    cuda::Vec16<T> da, a;
  };
  bool rows_aligned(int64_t width) const { return all_aligned(width, da, a, dx); }
  template <typename Alignment>
  __device__ Read read(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    return {da.load(row, column, left, alignment), a.load(row, column, left, alignment)};
  }
  template <typename Alignment>
  __device__ cuda::Vec16<T> terms(const Read& read, int64_t row, int64_t column, int64_t left,
                                  Alignment alignment) const {
    auto d = read.da;
#pragma unroll
    for (int i = 0; i < d.kCount; ++i) d.x[i] = read.a.x[i] > 0.0f ? cuda::product(d.x[i], scale) : 0.0f;
    dx.store(d, row, column, left, alignment);
    return d;
  }
};

// AC5 of AC4 and AC8.
template <typename T, Activation kF>
struct Backward {
  static constexpr int kUnrolled = 1;  // two rows' words and densities would not fit into the
                                       // registers
  Matrix<const T> da, x, bias;
  Matrix<T> dx;
  DropoutArgs dropout;
  struct Read {
    cuda::Vec16<T> da, x, bias;
  };
  bool rows_aligned(int64_t width) const { return all_aligned(width, da, x, bias, dx); }
  template <typename Alignment>
  __device__ Read read(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    return {da.load(row, column, left, alignment), x.load(row, column, left, alignment),
            bias.load(0, column, left, alignment)};
  }
  template <typename Alignment>
  __device__ cuda::Vec16<T> terms(const Read& read, int64_t row, int64_t column, int64_t left,
                                  Alignment alignment) const {
    auto d = read.da;
    drop(dropout, row, column, d);
#pragma unroll
    for (int i = 0; i < d.kCount; ++i)
      d.x[i] = cuda::product(d.x[i], slope<kF>(read.x.x[i] + read.bias.x[i]));
    dx.store(d, row, column, left, alignment);
    return d;
  }
};

}  // namespace

template <typename T>
void bias_activation_forward(Cuda, const BiasActivationForwardArgs<T>& args) {
  with_constant(args.activation, [&](auto f) {
    for_each_pack<T>(args.N, args.F,
                     Forward<T, f()>{{args.x, args.F}, {args.bias, 0}, {args.a, args.F}, args.dropout});
  });
}

template <typename T>
void bias_activation_backward(Cuda, const BiasActivationBackwardArgs<T>& args) {
  const Matrix<const T> da(args.da, args.F), saved(args.saved, args.F), bias(args.bias, 0);
  const Matrix<T> dx(args.dx, args.F);
  with_constant(args.activation, [&](auto f) {
    if constexpr (keeps_input(f())) {
      column_sums<T>(args.N, args.F, args.dbias, Backward<T, f()>{da, saved, bias, dx, args.dropout});
    } else {
      column_sums<T>(args.N, args.F, args.dbias, ReluBackward<T>{da, saved, dx, args.dropout.scale});
    }
  });
}

XF_INSTANTIATE(bias_activation_forward, BiasActivationForwardArgs);
XF_INSTANTIATE(bias_activation_backward, BiasActivationBackwardArgs);

}  // namespace xf::kernels
