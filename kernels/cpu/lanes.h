// A register of T as a value: GCC's vector extension, compiled for whatever instructions there are. For loops
// whose accumulators must stay in registers, which the auto-vectoriser does not promise.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/dtype.h"

namespace xf::kernels {

template <typename T>
struct LanesOf;
template <>
struct LanesOf<float> {
  using type = float __attribute__((vector_size(32)));
};
template <>
struct LanesOf<double> {
  using type = double __attribute__((vector_size(32)));
};
template <typename T>
using Lanes = typename LanesOf<T>::type;
template <typename T>
constexpr int kLanes = sizeof(Lanes<T>) / sizeof(T);

using Words = uint32_t __attribute__((vector_size(32)));
using HalfWords = uint16_t __attribute__((vector_size(16)));

template <typename T>
inline Lanes<T> load_lanes(const T* from) {
  Lanes<T> lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
template <typename T>
inline void store_lanes(Lanes<T> lanes, T* to) {
  std::memcpy(to, &lanes, sizeof lanes);
}

// bf16 elements as the f32 they stand for, and f32 rounded to them as bf16::rounded_bits() does.
inline Lanes<float> load_lanes(const bf16* from) {
  HalfWords bits;
  std::memcpy(&bits, from, sizeof bits);
  return std::bit_cast<Lanes<float>>(__builtin_convertvector(bits, Words) << 16);
}
inline void store_lanes(Lanes<float> lanes, bf16* to) {
  const Words u = std::bit_cast<Words>(lanes);
  const Words rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16, quiet_nan = (u >> 16) | 0x40u;
  const HalfWords bits = __builtin_convertvector(lanes != lanes ? quiet_nan : rounded, HalfWords);
  std::memcpy(to, &bits, sizeof bits);
}

// Across a register: the largest and the sum, lane 0 first; whether a comparison held anywhere.
template <typename T>
inline T maximum_of(Lanes<T> lanes) {
  T maximum = lanes[0];
  for (int l = 1; l < kLanes<T>; ++l) maximum = lanes[l] > maximum ? lanes[l] : maximum;
  return maximum;
}
template <typename T>
inline T sum_of(Lanes<T> lanes) {
  T sum = lanes[0];
  for (int l = 1; l < kLanes<T>; ++l) sum += lanes[l];
  return sum;
}
template <typename Mask>
inline bool any(Mask mask) {
  uint64_t words[sizeof(Mask) / sizeof(uint64_t)];
  std::memcpy(words, &mask, sizeof mask);
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}

namespace detail {

// Exchanges the off-diagonal kStep x kStep blocks of each pair of rows that are kStep apart.
template <typename T, int kStep, int... kLane>
inline void exchange_blocks(Lanes<T>* rows, std::integer_sequence<int, kLane...>) {
  constexpr int n = kLanes<T>;
#pragma GCC unroll 8
  for (int i = 0; i < n; ++i) {
    if (i & kStep) continue;
    const Lanes<T> a = rows[i], b = rows[i + kStep];
    rows[i] = __builtin_shufflevector(a, b, ((kLane & kStep) ? n + kLane - kStep : kLane)...);
    rows[i + kStep] = __builtin_shufflevector(a, b, ((kLane & kStep) ? n + kLane : kLane + kStep)...);
  }
}

}  // namespace detail

// Transposes the square of kLanes rows, by halves, quarters and so on.
template <typename T>
inline void transpose_square(Lanes<T>* rows) {
  constexpr auto lanes = std::make_integer_sequence<int, kLanes<T>>();
  if constexpr (kLanes<T> == 8) detail::exchange_blocks<T, 4>(rows, lanes);
  detail::exchange_blocks<T, 2>(rows, lanes);
  detail::exchange_blocks<T, 1>(rows, lanes);
}

}  // namespace xf::kernels
