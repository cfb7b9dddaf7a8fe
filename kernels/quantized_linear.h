// Affine maps in whole numbers of eight bits, for models that are used and no longer trained.
// Weights are rounded once, activations whenever they come, each row by a scale of its own; sums of
// products are exact, so that they are the same on every processor and for any number of threads.
// On the CPU, in f32 otherwise. As in Bhandare et al. 2019, arXiv:1906.00532, without calibration.
// Derivation: docs/derivations/quantized_linear.md.
//   s_m = max_k |w_mk| / 127,  q_mk = round(w_mk / s_m)    (QL1)    weights
//   t_n = max_k |x_nk| / 127,  p_nk = round(x_nk / t_n)    (QL2)    activations
//   y_nm = s_m t_n sum_k p_nk q_mk + bias_m                (QL3)
// Rounded to nearest, ties to even, after a product with the scale's reciprocal. A row without an
// element of 2^-119 or more, whose scale would be denormal, is zero. A row with NaN or infinity has
// the scale NaN: so are its results.
#pragma once

#include "core/backend.h"
#include "core/tensor.h"

namespace xf::kernels {

// Outputs in a strip, and inputs in a quad: what VPDPBUSD reads at once. What is not there is zero.
constexpr int64_t kStrip = 16, kQuad = 4;
constexpr int64_t quads_of(int64_t K) { return (K + kQuad - 1) / kQuad; }
constexpr int64_t strips_of(int64_t M) { return (M + kStrip - 1) / kStrip; }

// Rounded weights as products read them: the inputs of a strip's outputs lie quad by quad.
struct QuantizedWeights {
  Tensor quads;    // i32 [strips, ceil(K/4) 16]: four q each, the first input's in the lowest bits
  Tensor scales;   // f32 [strips 16]: s
  Tensor offsets;  // i32 [strips 16]: -128 sum_k q_mk, which takes away what 128 added to each p
                   // adds
  int64_t M = 0, K = 0;

  bool defined() const { return quads.defined(); }  // whether there are any
};

// The longest rows whose sums an i32 always holds: 127^2 K < 2^31.
constexpr int64_t kMostQuantizedInputs = int64_t{1} << 17;

// QL1: w [M, K] f32 as values i8 [M, K] and scales f32 [M], both written: what a file has.
void round_weights(const Tensor& w, Out values, Out scales);

// Memory for weights of M outputs and K inputs, all zero; and rounded ones, as above, put there.
QuantizedWeights quantized_weights(int64_t M, int64_t K);
void pack_weights(const Tensor& values, const Tensor& scales, const QuantizedWeights& to);

// QL2 and QL3, with relu or without: x [N, K] f32, bias [M] f32 or undefined;  y [N, M] f32
// written.
enum class Relu : bool { no, yes };
void quantized_linear_forward(const Tensor& x, const QuantizedWeights& w, const Tensor& bias, Relu relu,
                              Out y);

struct RoundWeightsArgs {
  const float* w;
  int8_t* values;
  float* scales;
  int64_t M, K, w_stride;
};
struct QuantizedLinearArgs {
  const float* x;
  const int32_t* quads;
  const float* scales;
  const int32_t* offsets;
  const float* bias;  // or null
  float* y;
  int64_t N, K, M, x_stride, y_stride;
  bool relu;
};
template <CpuLevel L>
void round_weights(Cpu<L>, const RoundWeightsArgs&);
template <CpuLevel L>
void quantized_linear_forward(Cpu<L>, const QuantizedLinearArgs&);

// What the functions above pass on, for ops that are made of them. Checks x, bias and y, which may
// be undefined: then args.y is null.
QuantizedLinearArgs quantized_linear_args(const Tensor& x, const QuantizedWeights& w, const Tensor& bias,
                                          Relu relu, Out y);

}  // namespace xf::kernels
