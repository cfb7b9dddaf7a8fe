// What the sources of kernels/cpu/ have in common: the level that they are compiled for, this time
// (core/processor.h); and an element as it is stored, T, and as it is computed with, Acc<T>: the
// same type, except that bf16 widens to f32 and is rounded on its way back.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/backend.h"
#include "core/dtype.h"

#ifndef XF_CPU_LEVEL
#define XF_CPU_LEVEL baseline
#endif

// An op's function for the types that the CPU computes in.
#define XF_INSTANTIATE(name, Args)                      \
  template void name(Cpu<kLevel>, const Args<float>&);  \
  template void name(Cpu<kLevel>, const Args<double>&); \
  template void name(Cpu<kLevel>, const Args<bf16>&)

namespace xf::kernels {

constexpr CpuLevel kLevel = CpuLevel::XF_CPU_LEVEL;

// The widest register, for kernels that fill registers by hand.
#ifdef __AVX512F__
constexpr int64_t kRegisterBytes = 64;
#else
constexpr int64_t kRegisterBytes = 32;
#endif

// Whether elements are computed with as they are stored.
template <typename T>
constexpr bool kComputesInPlace = std::is_same_v<T, Acc<T>>;

template <typename T>
inline Acc<T> widen(const T& element) {
  return static_cast<Acc<T>>(element);
}

// Not `*to = T(value)`: GCC does not vectorise the assignment of a struct.
template <typename T>
inline void store(Acc<T> value, T* to) {
  if constexpr (kComputesInPlace<T>) {
    *to = value;
  } else {
    to->bits = bf16::rounded_bits(value);
  }
}

// What a thread's scratch holds; each has its own.
enum class Scratch { row, upstream, gamma, beta };

// n elements of it, at the beginning of a cache line, valid until the calling thread's next call
// with this kOf and a larger n.
template <typename A, Scratch kOf>
inline A* thread_scratch(int64_t n) {
  struct alignas(64) Line {
    A elements[64 / sizeof(A)];
  };
  thread_local std::vector<Line> lines;
  const auto wanted = static_cast<size_t>((n * sizeof(A) + sizeof(Line) - 1) / sizeof(Line));
  if (lines.size() < wanted) lines.resize(wanted);
  return reinterpret_cast<A*>(lines.data());
}

// Where the unrounded values of a row of n elements can wait: the row itself, or, where it would
// round them, thread_scratch.
template <typename T>
inline Acc<T>* unrounded(T* row, int64_t n) {
  if constexpr (kComputesInPlace<T>) {
    return row;
  } else {
    return thread_scratch<Acc<T>, Scratch::row>(n);
  }
}

// A row of n elements that is read more than once, as it is computed with: itself, or widened into
// thread_scratch.
template <Scratch kOf, typename T>
inline const Acc<T>* widened(const T* row, int64_t n) {
  if constexpr (kComputesInPlace<T>) {
    return row;
  } else {
    Acc<T>* const wide = thread_scratch<Acc<T>, kOf>(n);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) wide[i] = widen(row[i]);
    return wide;
  }
}

template <typename T>
inline void fill_zero(T* to, int64_t n) {
  std::fill_n(to, n, static_cast<T>(0.0f));
}

}  // namespace xf::kernels
