// Dropout masks a row at a time: the words of kernels/dropout.h for a run of columns, with Philox
// computed in vector lanes, one lane per counter. Every CPU kernel that drops elements calls this
// and nothing else, so that forward and backward, and all kernels, agree to the bit.
#pragma once

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/element.h"
#include "kernels/dropout.h"

namespace xf::kernels {

// Counters per block; 4 columns each.
constexpr int kPhiloxLanes = 32;
constexpr int kPhiloxColumns = 4 * kPhiloxLanes;

// The four words of counter l, two to an element, the earlier one in the low half.
struct PhiloxWords {
  uint64_t first[kPhiloxLanes], second[kPhiloxLanes];
};

using PhiloxLanes = uint64_t __attribute__((vector_size(kRegisterBytes)));

// The lower halves of the lanes times b, 64 bits each. Not by the operator where there is an
// instruction for it: that is a product of 64 bits, which takes Intel's processors three times as
// long. (All lanes by a mask: GCC 12 takes the plain intrinsic's undefined lanes for a mistake.)
inline PhiloxLanes product_of_words(PhiloxLanes a, uint32_t b) {
#if defined(__AVX512F__)
  return reinterpret_cast<PhiloxLanes>(
      _mm512_maskz_mul_epu32(0xff, reinterpret_cast<__m512i>(a), _mm512_set1_epi64(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<PhiloxLanes>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), _mm256_set1_epi64x(b)));
#else
  return (a & 0xffffffffu) * b;
#endif
}

// The words dropout.words(quads[l], rows[l]) of every lane l. A 32-bit word lives in a 64-bit lane,
// so that one multiplication gives both halves of the product; what overflows into the upper half
// is cut off where it would be read.
inline void philox_lanes(const DropoutArgs& dropout, const uint64_t* quads, const uint64_t* rows,
                         PhiloxWords& words) {
  constexpr int kVectors = kPhiloxLanes * sizeof(uint64_t) / sizeof(PhiloxLanes);
  constexpr uint64_t kLow = 0xffffffffu;
  PhiloxLanes c0[kVectors], c1[kVectors], c2[kVectors], c3[kVectors];
  std::memcpy(c0, quads, sizeof c0);
  std::memcpy(c1, rows, sizeof c1);
  for (int v = 0; v < kVectors; ++v) {
    c1[v] += static_cast<uint32_t>(dropout.counter[1]);
    c2[v] = PhiloxLanes{} + dropout.site;
    c3[v] = PhiloxLanes{} + static_cast<uint32_t>(dropout.counter[0]);
  }
  uint32_t k0 = dropout.key0, k1 = dropout.key1;
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const PhiloxLanes p0 = product_of_words(c0[v], 0xD2511F53u), p1 = product_of_words(c2[v], 0xCD9E8D57u);
      c0[v] = (p1 >> 32) ^ c1[v] ^ k0;
      c1[v] = p1;
      c2[v] = (p0 >> 32) ^ c3[v] ^ k1;
      c3[v] = p0;
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  for (int v = 0; v < kVectors; ++v) {
    c0[v] = (c0[v] & kLow) | (c1[v] << 32);
    c2[v] = (c2[v] & kLow) | (c3[v] << 32);
  }
  std::memcpy(words.first, c0, sizeof c0);
  std::memcpy(words.second, c2, sizeof c2);
}

// words[c] of columns 4*first_quad .. 4*first_quad + 127 in local row `row`.
inline void philox_block(const DropoutArgs& dropout, uint32_t first_quad, uint32_t row, uint32_t* words) {
  uint64_t quads[kPhiloxLanes], rows[kPhiloxLanes];
  for (uint32_t lane = 0; lane < kPhiloxLanes; ++lane) {
    quads[lane] = first_quad + lane;
    rows[lane] = row;
  }
  PhiloxWords pairs;
  philox_lanes(dropout, quads, rows, pairs);
  for (int l = 0; l < kPhiloxLanes; ++l) {  // little-endian, like every machine that CUDA runs on
    std::memcpy(words + 4 * l, pairs.first + l, sizeof(uint64_t));
    std::memcpy(words + 4 * l + 2, pairs.second + l, sizeof(uint64_t));
  }
}

// DR1: factors[j] = 1/(1-p) where element (row, first_column + j) is kept, else 0, for j < count.
// first_column is a multiple of 4. Only for dropout.active().
template <typename T>
inline void dropout_factors(const DropoutArgs& dropout, int64_t row, int64_t first_column, int64_t count,
                            T* factors) {
  const T scale = static_cast<T>(dropout.scale);
  const uint32_t threshold = dropout.threshold;
  alignas(64) uint32_t words[kPhiloxColumns];
  for (int64_t begin = 0; begin < count; begin += kPhiloxColumns) {
    philox_block(dropout, static_cast<uint32_t>((first_column + begin) / 4), static_cast<uint32_t>(row),
                 words);
    const int64_t n = std::min<int64_t>(count - begin, kPhiloxColumns);
    T* out = factors + begin;
    if (n == kPhiloxColumns) {
#pragma omp simd
      for (int j = 0; j < kPhiloxColumns; ++j) out[j] = words[j] >= threshold ? scale : T{0};
    } else {
      for (int64_t j = 0; j < n; ++j) out[j] = words[j] >= threshold ? scale : T{0};
    }
  }
}

// body(begin, n, factors) for consecutive runs of at most 128 columns of a row of D: the way to
// walk a row when the factors need not be kept. Without dropout there is one run, begin 0, n = D,
// factors nullptr.
template <typename T, typename Body>
inline void for_each_dropout_run(const DropoutArgs& dropout, int64_t row, int64_t D, const Body& body) {
  if (!dropout.active()) {
    body(int64_t{0}, D, static_cast<const T*>(nullptr));
    return;
  }
  alignas(64) T factors[kPhiloxColumns];
  for (int64_t begin = 0; begin < D; begin += kPhiloxColumns) {
    const int64_t n = std::min<int64_t>(D - begin, kPhiloxColumns);
    dropout_factors(dropout, row, begin, n, factors);
    body(begin, n, static_cast<const T*>(factors));
  }
}

}  // namespace xf::kernels
