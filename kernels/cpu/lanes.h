// A register of T as a value: GCC's vector extension, compiled for whatever instructions there are.
// For loops whose accumulators must stay in registers, which the auto-vectoriser does not promise.
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
  const Words quiet = u | 0x400000u, rounded = u + 0x7fffu + ((u >> 16) & 1u);
  const HalfWords bits = __builtin_convertvector((lanes != lanes ? quiet : rounded) >> 16, HalfWords);
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

// Exchanges, between the two registers, the blocks of kStep lanes that a transpose has to: the odd
// blocks of a with the even ones of b.
template <int kStep, typename Register, int... kLane>
inline void exchange_blocks(Register& a, Register& b, std::integer_sequence<int, kLane...>) {
  constexpr int n = sizeof...(kLane);
  const Register first = a, second = b;
  a = __builtin_shufflevector(first, second, ((kLane & kStep) ? n + kLane - kStep : kLane)...);
  b = __builtin_shufflevector(first, second, ((kLane & kStep) ? n + kLane : kLane + kStep)...);
}

template <typename Register>
inline constexpr int kWidthOf = sizeof(Register) / sizeof(std::declval<Register>()[0]);

// Transposes a square of registers, by halves, quarters and so on.
template <typename Register, int kStep = kWidthOf<Register> / 2>
inline void transpose_square(Register* rows) {
  constexpr int n = kWidthOf<Register>;
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i) {
    if ((i & kStep) == 0)
      exchange_blocks<kStep>(rows[i], rows[i + kStep], std::make_integer_sequence<int, n>());
  }
  if constexpr (kStep > 1) transpose_square<Register, kStep / 2>(rows);
}

}  // namespace xf::kernels
