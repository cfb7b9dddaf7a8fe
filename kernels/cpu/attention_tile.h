// The pieces both attention paths are made of: products of a few dozen rows in registers, transposes, masked
// softmax rows and dropout factors of a tile of scores. A tile's rows are `ld` elements apart, a multiple of
// a register, and zero beyond its last key, so that loops over keys need no tails.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/attention.h"
#include "kernels/cpu/philox_row.h"
#include "kernels/cpu/vector_math.h"

namespace xf::kernels {

// 64 bytes of T: one register of AVX-512, two of AVX2. GCC compiles the arithmetic for what there is.
template <typename T>
struct LanesOf;
template <>
struct LanesOf<float> {
  using type = float __attribute__((vector_size(64)));
};
template <>
struct LanesOf<double> {
  using type = double __attribute__((vector_size(64)));
};
template <typename T>
using Lanes = typename LanesOf<T>::type;
template <typename T>
constexpr int64_t kLanes = static_cast<int64_t>(sizeof(Lanes<T>) / sizeof(T));

template <typename T>
int64_t padded(int64_t n) {
  return (n + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

// Element (m, k) is data[m * row + k * column]: a matrix, or its transpose, read in place.
template <typename T>
struct MatrixView {
  const T* data;
  int64_t row, column = 1;
};
template <typename T>
MatrixView<T> transposed(MatrixView<T> a) {
  return {a.data, a.column, a.row};
}

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

// kRows x kVectors registers of c = a b, the sum over k in order. All loops over registers are unrolled: an array that
// is indexed by a variable would live in memory.
template <typename T, int kRows, int kVectors>
inline void product_block(MatrixView<T> a, const T* b, int64_t b_row, int64_t K, bool accumulate, T* c, int64_t c_row) {
  Lanes<T> sum[kRows][kVectors];
#pragma GCC unroll 8
  for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      sum[m][v] = accumulate ? load_lanes(c + m * c_row + v * kLanes<T>) : Lanes<T>{};
    }
  }
  for (int64_t k = 0; k < K; ++k) {
    Lanes<T> row[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) row[v] = load_lanes(b + k * b_row + v * kLanes<T>);
#pragma GCC unroll 8
    for (int m = 0; m < kRows; ++m) {
      const T factor = a.data[m * a.row + k * a.column];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sum[m][v] += factor * row[v];
    }
  }
#pragma GCC unroll 8
  for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) store_lanes<T>(sum[m][v], c + m * c_row + v * kLanes<T>);
  }
}

// All rows of one band of columns: eight at a time, then the rest.
template <typename T, int kVectors>
inline void product_band(MatrixView<T> a, const T* b, int64_t b_row, int64_t M, int64_t K, bool accumulate,
                         T* c, int64_t c_row) {
  int64_t m = 0;
  const auto rows = [&]<int kRows>() {
    product_block<T, kRows, kVectors>({a.data + m * a.row, a.row, a.column}, b, b_row, K, accumulate,
                                      c + m * c_row, c_row);
    m += kRows;
  };
  while (m + 8 <= M) rows.template operator()<8>();
  if (m + 4 <= M) rows.template operator()<4>();
  if (m + 2 <= M) rows.template operator()<2>();
  if (m < M) rows.template operator()<1>();
}

// c [M, N] = a [M, K] b [K, N], or c += a b. Rows of b and c are contiguous.
template <typename T>
inline void product(MatrixView<T> a, const T* b, int64_t b_row, int64_t M, int64_t N, int64_t K,
                    bool accumulate, T* c, int64_t c_row) {
  int64_t n = 0;
  for (; n + 2 * kLanes<T> <= N; n += 2 * kLanes<T>)
    product_band<T, 2>(a, b + n, b_row, M, K, accumulate, c + n, c_row);
  for (; n + kLanes<T> <= N; n += kLanes<T>)
    product_band<T, 1>(a, b + n, b_row, M, K, accumulate, c + n, c_row);
  if (n == N) return;
  for (int64_t m = 0; m < M; ++m) {  // heads whose width is not a whole number of registers
    for (int64_t i = n; i < N; ++i) {
      T sum = accumulate ? c[m * c_row + i] : T{0};
      for (int64_t k = 0; k < K; ++k) sum += a.data[m * a.row + k * a.column] * b[k * b_row + i];
      c[m * c_row + i] = sum;
    }
  }
}

// out [columns, ld] = in [rows, columns]^T, zero beyond `rows`.
template <typename T>
inline void transpose(const T* in, int64_t in_row, int64_t rows, int64_t columns, T* out, int64_t ld) {
  for (int64_t c = 0; c < columns; ++c) std::fill(out + c * ld + rows, out + (c + 1) * ld, T{0});
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) out[c * ld + r] = in[r * in_row + c];
  }
}

// max(floor, max_{j < visible} scale * s_j)
template <typename T>
inline T row_maximum(const T* s, int64_t visible, int64_t ld, T scale, T floor) {
  T maximum = floor;
  for (int64_t begin = 0; begin < ld; begin += kLanes<T>) {
#pragma omp simd reduction(max : maximum)
    for (int64_t j = begin; j < begin + kLanes<T>; ++j)
      maximum = std::max(maximum, j < visible ? scale * s[j] : floor);
  }
  return maximum;
}

// s_j <- exp(scale * s_j - shift), 0 from `visible` on; returns the sum.
template <typename T>
inline T exponentiate_row(T* s, int64_t visible, int64_t ld, T scale, T shift) {
  T sum = 0;
  for (int64_t begin = 0; begin < ld; begin += kLanes<T>) {
#pragma omp simd reduction(+ : sum)
    for (int64_t j = begin; j < begin + kLanes<T>; ++j) {
      const T e = j < visible ? vector_exp(scale * s[j] - shift) : T{0};
      s[j] = e;
      sum += e;
    }
  }
  return sum;
}

template <typename T>
inline void multiply_row(T* s, int64_t ld, T factor) {
  for (int64_t begin = 0; begin < ld; begin += kLanes<T>) {
#pragma omp simd
    for (int64_t j = begin; j < begin + kLanes<T>; ++j) s[j] *= factor;
  }
}

// s <- softmax(scale * s) over the first `visible` keys, 0 beyond; all 0 where there is none.
template <typename T>
inline void softmax_row(T* s, int64_t visible, int64_t ld, T scale) {
  if (visible <= 0) return std::fill_n(s, ld, T{0}), void();
  const T maximum = row_maximum(s, visible, ld, scale, -std::numeric_limits<T>::infinity());
  multiply_row(s, ld, T{1} / exponentiate_row(s, visible, ld, scale, maximum));
}

// factors [rows, ld]: 0 or 1/(1-p) of the attention probabilities of query tokens first_row.. and of keys
// first_key.. < first_key + keys of `head`; 1 where dropout is off. first_key is a multiple of 4.
template <typename T>
inline void probability_factors(const DropoutArgs& dropout, int64_t first_row, int64_t rows, int64_t head,
                                int64_t first_key, int64_t keys, T* factors, int64_t ld) {
  const int64_t row_quads = (keys + 3) / 4, first_quad = (head << 14) + first_key / 4;
  const T scale = static_cast<T>(dropout.scale);
  uint64_t quad_of[kPhiloxLanes] = {}, row_of[kPhiloxLanes] = {};
  int64_t at[kPhiloxLanes];
  uint32_t words[kPhiloxColumns];
  int64_t row = 0, quad = 0;
  while (row < rows) {
    int lanes = 0;
    for (; lanes < kPhiloxLanes && row < rows; ++lanes) {
      quad_of[lanes] = static_cast<uint64_t>(first_quad + quad);
      row_of[lanes] = static_cast<uint64_t>(first_row + row);
      at[lanes] = row * ld + 4 * quad;
      if (++quad == row_quads) quad = 0, ++row;
    }
    philox_lanes(dropout, quad_of, row_of, words);
    for (int l = 0; l < lanes; ++l) {
      for (int w = 0; w < 4; ++w) factors[at[l] + w] = words[4 * l + w] >= dropout.threshold ? scale : T{0};
    }
  }
}

// Keys that query `i` of a sentence may attend, of `keys` in all.
inline int64_t visible_keys(bool causal, int64_t i, int64_t keys) {
  return causal ? std::min(i + 1, keys) : keys;
}

// One sentence and head: rows of q start at q_begin, its keys at k_begin.
struct Sentence {
  int64_t q_begin, queries, k_begin, keys;
};
inline Sentence sentence_at(const int32_t* query_offsets, const int32_t* key_offsets, int64_t b) {
  return {query_offsets[b], query_offsets[b + 1] - query_offsets[b], key_offsets[b],
          key_offsets[b + 1] - key_offsets[b]};
}

// Uninitialised memory of the calling thread, valid until its next call with this type.
template <typename T>
T* thread_scratch(int64_t elements) {
  thread_local std::vector<Lanes<T>> memory;
  const auto needed = static_cast<size_t>((elements + kLanes<T> - 1) / kLanes<T>);
  if (memory.size() < needed) memory.resize(needed);
  return reinterpret_cast<T*>(memory.data());
}

template <typename T>
void attention_forward_short(const AttentionForwardArgs<T>&);
template <typename T>
void attention_forward_long(const AttentionForwardArgs<T>&);
template <typename T>
void attention_backward_short(const AttentionBackwardArgs<T>&);
template <typename T>
void attention_backward_long(const AttentionBackwardArgs<T>&);

}  // namespace xf::kernels
