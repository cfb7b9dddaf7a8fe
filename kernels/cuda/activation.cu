// Bias, activation and dropout on CUDA: one trip through memory per direction, 2e bytes an element forward (AC0),
// 3e backward (da and saved in, dx out). Forward: rows.cuh. Backward: column_sums.cuh, so that dbias costs no
// second read of dx; dx may be da because a thread reads an element before it writes it, and no other thread
// reads it. The backward pass of relu needs no random words: a > 0 already says that the element was active
// and kept.
#include "kernels/activation.h"

#include "kernels/cuda/column_sums.cuh"
#include "kernels/cuda/dropout.cuh"
#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

namespace {

// Phi(z) of the standard normal distribution.
__device__ __forceinline__ float cumulative(float z) { return 0.5f * (1.0f + erff(z * 0.70710678f)); }

// f(z): AC1, AC3. A NaN stays one.
template <Activation kActivation>
__device__ __forceinline__ float activate(float z) {
  if constexpr (kActivation == Activation::relu) return z < 0.0f ? 0.0f : z;
  return z * cumulative(z);
}

template <typename T, Activation kActivation>
struct Forward {
  Matrix<const T> x, bias;
  Matrix<T> a;
  DropoutArgs dropout;
  __device__ void operator()(int64_t row, int64_t column, int64_t left) const {
    auto pack = x.load(row, column, left);
    const auto shift = bias.load(0, column, left);
#pragma unroll
    for (int i = 0; i < pack.kCount; ++i) pack.x[i] = activate<kActivation>(pack.x[i] + shift.x[i]);
    drop(dropout, row, column, pack);
    a.store(pack, row, column, left);
  }
};

// AC5 of AC2: dx = da * mask / (1-p) * f'(x + bias), stored and returned; its column sums are AC6.
template <typename T>
struct ReluBackward {
  static constexpr int kUnrolled = 4;
  Matrix<const T> da, a;
  Matrix<T> dx;
  float scale;
  __device__ cuda::Pack<T> operator()(int64_t row, int64_t column, int64_t left) const {
    auto d = da.load(row, column, left);
    const auto activated = a.load(row, column, left);
#pragma unroll
    for (int i = 0; i < d.kCount; ++i) d.x[i] = activated.x[i] > 0.0f ? d.x[i] * scale : 0.0f;
    dx.store(d, row, column, left);
    return d;
  }
};

// AC5 of AC4: f'(z) = Phi(z) + z phi(z),  phi(z) = exp(-z^2 / 2) / sqrt(2 pi)
template <typename T>
struct GeluBackward {
  static constexpr int kUnrolled = 1;  // two rows' words and densities would not fit into the registers
  Matrix<const T> da, x, bias;
  Matrix<T> dx;
  DropoutArgs dropout;
  __device__ cuda::Pack<T> operator()(int64_t row, int64_t column, int64_t left) const {
    auto d = da.load(row, column, left);
    const auto input = x.load(row, column, left), shift = bias.load(0, column, left);
    drop(dropout, row, column, d);
#pragma unroll
    for (int i = 0; i < d.kCount; ++i) {
      const float z = input.x[i] + shift.x[i], density = 0.39894228f * expf(-0.5f * z * z);
      d.x[i] *= cumulative(z) + z * density;
    }
    dx.store(d, row, column, left);
    return d;
  }
};

template <Activation kActivation, typename T>
void forward(const BiasActivationForwardArgs<T>& args) {
  for_each_pack<T>(args.N, args.F,
                   Forward<T, kActivation>{{args.x, args.F}, {args.bias, 0}, {args.a, args.F}, args.dropout});
}

}  // namespace

template <typename T>
void bias_activation_forward(Cuda, const BiasActivationForwardArgs<T>& args) {
  if (args.activation == Activation::relu) {
    forward<Activation::relu>(args);
  } else {
    forward<Activation::gelu>(args);
  }
}

template <typename T>
void bias_activation_backward(Cuda, const BiasActivationBackwardArgs<T>& args) {
  const Matrix<const T> da(args.da, args.F), saved(args.saved, args.F), bias(args.bias, 0);
  const Matrix<T> dx(args.dx, args.F);
  if (args.activation == Activation::relu) {
    column_sums<T>(args.N, args.F, args.dbias, ReluBackward<T>{da, saved, dx, args.dropout.scale});
  } else {
    column_sums<T>(args.N, args.F, args.dbias, GeluBackward<T>{da, saved, bias, dx, args.dropout});
  }
}

template void bias_activation_forward(Cuda, const BiasActivationForwardArgs<float>&);
template void bias_activation_forward(Cuda, const BiasActivationForwardArgs<bf16>&);
template void bias_activation_backward(Cuda, const BiasActivationBackwardArgs<float>&);
template void bias_activation_backward(Cuda, const BiasActivationBackwardArgs<bf16>&);

}  // namespace xf::kernels
