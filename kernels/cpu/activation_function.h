// The non-linearities and their slopes at one element, for loops that vectorise:
// docs/derivations/feed_forward.md.
#pragma once

#include <algorithm>

#include "kernels/activation.h"
#include "kernels/cpu/vector_math.h"

namespace xf::kernels {

// f(z): AC1, AC3, AC7. A NaN stays one.
template <Activation kF, typename T>
inline T activate(T z) {
  if constexpr (kF == Activation::relu) return std::max(z, T{0});
  if constexpr (kF == Activation::gelu) return z * vector_normal(z).cumulative;
  return z * vector_sigmoid(z);
}

// f'(z): AC2. Phi(z) + z phi(z): AC4. s + z s (1 - s) with s = sigmoid(z): AC8.
template <Activation kF, typename T>
inline T slope(T z) {
  if constexpr (kF == Activation::relu) return z > T{0} ? T{1} : T{0};
  if constexpr (kF == Activation::gelu) {
    const Normal<T> normal = vector_normal(z);
    return normal.cumulative + z * normal.density;
  }
  const T s = vector_sigmoid(z);
  return s + z * s * (T{1} - s);
}

}  // namespace xf::kernels
