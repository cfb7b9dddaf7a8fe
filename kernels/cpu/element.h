// An element as it is stored, T, and as it is computed with, Acc<T>: the same type, except that bf16 widens
// to f32 and is rounded on its way back.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/dtype.h"

namespace xf::kernels {

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

// Where the unrounded values of a row of n elements can wait: the row itself, or, where it would round them,
// scratch of the calling thread, valid until its next call.
template <typename T>
inline Acc<T>* unrounded(T* row, int64_t n) {
  if constexpr (kComputesInPlace<T>) {
    return row;
  } else {
    thread_local std::vector<Acc<T>> scratch;
    if (static_cast<int64_t>(scratch.size()) < n) scratch.resize(static_cast<size_t>(n));
    return scratch.data();
  }
}

template <typename T>
inline void fill_zero(T* to, int64_t n) {
  std::fill_n(to, n, static_cast<T>(0.0f));
}

}  // namespace xf::kernels
