// The non-linearities and their slopes at one element: docs/derivations/feed_forward.md.
#pragma once

#include "kernels/activation.h"
#include "kernels/cuda/portable.cuh"

namespace xf::kernels {

// Phi(z) of the standard normal distribution.
__device__ __forceinline__ float cumulative(float z) { return 0.5f * (1.0f + erff(z * 0.70710678f)); }

__device__ __forceinline__ float sigmoid(float z) { return 1.0f / (1.0f + expf(-z)); }

// f(z): AC1, AC3, AC7. A NaN stays one.
template <Activation kF>
__device__ __forceinline__ float activate(float z) {
  if constexpr (kF == Activation::relu) return z < 0.0f ? 0.0f : z;
  if constexpr (kF == Activation::gelu) return z * cumulative(z);
  return z * sigmoid(z);
}

// f'(z): AC2.  Phi(z) + z phi(z),  phi(z) = exp(-z^2 / 2) / sqrt(2 pi): AC4.  s + z s (1 - s) with
// s = sigmoid(z): AC8.
template <Activation kF>
__device__ __forceinline__ float slope(float z) {
  if constexpr (kF == Activation::relu) return z > 0.0f ? 1.0f : 0.0f;
  if constexpr (kF == Activation::gelu) return fmaf(z, 0.39894228f * expf(-0.5f * z * z), cumulative(z));
  const float s = sigmoid(z);
  return fmaf(z * s, 1.0f - s, s);
}

}  // namespace xf::kernels
