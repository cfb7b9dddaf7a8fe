// The pieces both attention paths are made of: products of a few dozen rows in registers,
// transposes, softmax and dropout factors of a tile of scores. A tile is kept transposed, [keys,
// queries]: a register holds one key's scores for neighbouring queries, so that maxima and sums
// over keys need no step across a register, and the dropout words of four keys come out of Philox
// as they are needed. Its rows are `ld` = padded(queries) apart; what stands in the padding is
// finite and read by nobody.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/attention.h"
#include "kernels/cpu/element.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/philox_row.h"
#include "kernels/cpu/vector_math.h"

namespace xf::kernels {

// Queries come in groups of as many as a register holds floats.
constexpr int64_t kQueryGroup = 8;
inline int64_t padded(int64_t n) { return (n + kQueryGroup - 1) / kQueryGroup * kQueryGroup; }

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

// Rows as a product takes them for its first factor, whose elements it reads one by one: in place,
// or, for bf16, widened into `scratch` [rows, columns].
template <typename T>
inline MatrixView<Acc<T>> widened(MatrixView<T> in, int64_t rows, int64_t columns,
                                  [[maybe_unused]] Acc<T>* scratch) {
  if constexpr (kComputesInPlace<T>) {
    return in;
  } else {
    for (int64_t r = 0; r < rows; ++r) {
      const T* const from = in.data + r * in.row;
      Acc<T>* const to = scratch + r * columns;
#pragma omp simd
      for (int64_t i = 0; i < columns; ++i) to[i] = widen(from[i]);
    }
    return {scratch, columns};
  }
}
// Elements of that scratch.
template <typename T>
constexpr int64_t widened_size(int64_t rows, int64_t columns) {
  return kComputesInPlace<T> ? 0 : rows * columns;
}

// kRows x kVectors registers of c = a b, the sum over k in order. b and c may be bf16, c if nothing
// is accumulated. All loops over registers are unrolled: an array that is indexed by a variable
// would live in memory.
template <int kRows, int kVectors, typename A, typename B, typename C>
inline void product_block(MatrixView<A> a, const B* b, int64_t b_row, int64_t K, bool accumulate, C* c,
                          int64_t c_row) {
  Lanes<A> sum[kRows][kVectors];
#pragma GCC unroll 6
  for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      sum[m][v] = accumulate ? load_lanes(c + m * c_row + v * kLanes<A>) : Lanes<A>{};
    }
  }
  for (int64_t k = 0; k < K; ++k) {
    Lanes<A> row[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) row[v] = load_lanes(b + k * b_row + v * kLanes<A>);
#pragma GCC unroll 6
    for (int m = 0; m < kRows; ++m) {
      const A factor = a.data[m * a.row + k * a.column];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sum[m][v] += factor * row[v];
    }
  }
#pragma GCC unroll 6
  for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) store_lanes(sum[m][v], c + m * c_row + v * kLanes<A>);
  }
}

// All rows of one band of columns: six at a time, then the rest.
template <int kVectors, typename A, typename B, typename C>
inline void product_band(MatrixView<A> a, const B* b, int64_t b_row, int64_t M, int64_t K, bool accumulate,
                         C* c, int64_t c_row) {
  int64_t m = 0;
  const auto rows = [&]<int kRows>() {
    product_block<kRows, kVectors>(MatrixView<A>{a.data + m * a.row, a.row, a.column}, b, b_row, K,
                                   accumulate, c + m * c_row, c_row);
    m += kRows;
  };
  while (m + 6 <= M) rows.template operator()<6>();
  if (m + 4 <= M) rows.template operator()<4>();
  if (m + 2 <= M) rows.template operator()<2>();
  if (m < M) rows.template operator()<1>();
}

// c [M, N] = a [M, K] b [K, N], or c += a b. Rows of b and c are contiguous.
template <typename A, typename B, typename C>
inline void product(MatrixView<A> a, const B* b, int64_t b_row, int64_t M, int64_t N, int64_t K,
                    bool accumulate, C* c, int64_t c_row) {
  int64_t n = 0;
  for (; n + 2 * kLanes<A> <= N; n += 2 * kLanes<A>)
    product_band<2>(a, b + n, b_row, M, K, accumulate, c + n, c_row);
  for (; n + kLanes<A> <= N; n += kLanes<A>) product_band<1>(a, b + n, b_row, M, K, accumulate, c + n, c_row);
  if (n == N) return;
  for (int64_t m = 0; m < M; ++m) {  // heads whose width is not a whole number of registers
    for (int64_t i = n; i < N; ++i) {
      A sum = accumulate ? widen(c[m * c_row + i]) : A{0};
      for (int64_t k = 0; k < K; ++k) sum += a.data[m * a.row + k * a.column] * widen(b[k * b_row + i]);
      store(sum, c + m * c_row + i);
    }
  }
}

// out [columns, ld] = in [rows, columns]^T, zero beyond `rows`.
template <typename T>
inline void transpose(const T* in, int64_t in_row, int64_t rows, int64_t columns, Acc<T>* out, int64_t ld) {
  using A = Acc<T>;
  constexpr int n = kLanes<A>;
  const int64_t whole = columns / n * n;
  for (int64_t r = 0; r < ld; r += n) {
    const int64_t filled = std::clamp<int64_t>(rows - r, 0, n);
    for (int64_t c = 0; c < whole; c += n) {
      Lanes<A> square[n];
#pragma GCC unroll 8
      for (int i = 0; i < n; ++i) square[i] = i < filled ? load_lanes(in + (r + i) * in_row + c) : Lanes<A>{};
      transpose_square(square);
#pragma GCC unroll 8
      for (int i = 0; i < n; ++i) store_lanes<A>(square[i], out + (c + i) * ld + r);
    }
    for (int64_t c = whole; c < columns; ++c) {
      for (int64_t i = 0; i < n; ++i)
        out[c * ld + r + i] = i < filled ? widen(in[(r + i) * in_row + c]) : A{0};
    }
  }
}

// Which keys of a tile the queries of a band, kLanes columns from `column` on, may attend. `offset`
// is the tile's first query less its first key, as positions in the sentence.
template <typename T>
struct BandMask {
  BandMask(bool causal_mask, int64_t column, int64_t offset, int64_t keys) : causal(causal_mask), seen(keys) {
    for (int l = 0; l < kLanes<T>; ++l) last[l] = static_cast<T>(column + l + offset);
    if (causal) seen = std::clamp<int64_t>(column + kLanes<T> + offset, 0, keys);
  }
  // Scores of key j, -inf where it is not to be attended.
  Lanes<T> apply(Lanes<T> s, int64_t j) const {
    if (!causal) return s;
    return last >= static_cast<T>(j) ? s : Lanes<T>{} - std::numeric_limits<T>::infinity();
  }
  bool causal;
  int64_t seen;  // keys from here on are for none of the band
  Lanes<T> last;
};

// One band's scores become exp(scale * s - maximum), masked; both results per query.
template <typename T>
struct BandSums {
  Lanes<T> maximum, sum;
};
template <typename T>
inline BandSums<T> exponentiate_band(T* s, int64_t keys, int64_t ld, const BandMask<T>& mask, T scale,
                                     Lanes<T> maximum) {
  for (int64_t j = 0; j < mask.seen; ++j) {
    const Lanes<T> scores = mask.apply(load_lanes(s + j * ld) * scale, j);
    store_lanes<T>(scores, s + j * ld);
    maximum = scores > maximum ? scores : maximum;
  }
  Lanes<T> sum{};
  for (int64_t j = 0; j < mask.seen; ++j) {
    const Lanes<T> e = vector_exp(load_lanes(s + j * ld) - maximum);
    store_lanes<T>(e, s + j * ld);
    sum += e;
  }
  for (int64_t j = mask.seen; j < keys; ++j) store_lanes<T>(Lanes<T>{}, s + j * ld);
  return {maximum, sum};
}

// s [keys, ld] <- softmax over the keys of scale * s, masked, and times `factors` if there are any.
// Every query sees the first key, so that no maximum is -inf.
template <typename T>
inline void softmax_tile(T* s, int64_t keys, int64_t ld, bool causal, T scale, const T* factors) {
  for (int64_t column = 0; column < ld; column += kLanes<T>) {
    const BandMask<T> mask(causal, column, 0, keys);
    const Lanes<T> lowest = Lanes<T>{} - std::numeric_limits<T>::infinity();
    const Lanes<T> inverse = T{1} / exponentiate_band(s + column, keys, ld, mask, scale, lowest).sum;
    for (int64_t j = 0; j < mask.seen; ++j) {
      const int64_t at = j * ld + column;
      const Lanes<T> p = load_lanes(s + at) * inverse;
      store_lanes<T>(factors ? p * load_lanes(factors + at) : p, s + at);
    }
  }
}

// factors [keys rounded up to 4, ld]: 0 or 1/(1-p) of the attention probabilities of query tokens
// first_row.. and keys first_key.. of `head`. first_key is a multiple of 4.
template <typename T>
inline void probability_factors(const DropoutArgs& dropout, int64_t first_row, int64_t head,
                                int64_t first_key, int64_t keys, T* factors, int64_t ld) {
  constexpr int kGroups = kPhiloxLanes / kQueryGroup;
  const int64_t row_groups = ld / kQueryGroup, groups = (keys + 3) / 4 * row_groups;
  const int64_t first_quad = (head << 14) + first_key / 4;
  const T scale = static_cast<T>(dropout.scale);
  uint64_t quads[kPhiloxLanes] = {}, rows[kPhiloxLanes] = {};
  PhiloxWords words;
  for (int64_t begin = 0; begin < groups; begin += kGroups) {
    const int64_t count = std::min<int64_t>(kGroups, groups - begin);
    for (int64_t g = 0; g < count; ++g) {
      const int64_t quad = (begin + g) / row_groups, column = (begin + g) % row_groups * kQueryGroup;
      for (int64_t l = 0; l < kQueryGroup; ++l) {
        quads[g * kQueryGroup + l] = static_cast<uint64_t>(first_quad + quad);
        rows[g * kQueryGroup + l] = static_cast<uint64_t>(first_row + column + l);
      }
    }
    philox_lanes(dropout, quads, rows, words);
    for (int64_t g = 0; g < count; ++g) {
      const int64_t quad = (begin + g) / row_groups, column = (begin + g) % row_groups * kQueryGroup;
      T* const out = factors + 4 * quad * ld + column;
      const uint64_t *const first = words.first + g * kQueryGroup, *const second =
                                                                       words.second + g * kQueryGroup;
#pragma omp simd
      for (int64_t l = 0; l < kQueryGroup; ++l) {
        out[l] = static_cast<uint32_t>(first[l]) >= dropout.threshold ? scale : T{0};
        out[ld + l] = static_cast<uint32_t>(first[l] >> 32) >= dropout.threshold ? scale : T{0};
        out[2 * ld + l] = static_cast<uint32_t>(second[l]) >= dropout.threshold ? scale : T{0};
        out[3 * ld + l] = static_cast<uint32_t>(second[l] >> 32) >= dropout.threshold ? scale : T{0};
      }
    }
  }
}
// Rows that probability_factors writes.
inline int64_t factor_rows(int64_t keys) { return (keys + 3) / 4 * 4; }

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
