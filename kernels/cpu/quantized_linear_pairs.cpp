// Sums of quads where no instruction adds four products: VPMADDUBSW adds two of an unsigned and a
// signed byte in sixteen bits, saturating, which |q| times p with the sign of q never needs, 2 *
// 127^2 < 2^15; VPMADDWD adds two of these sums in 32 bits. Without AVX2, a loop.
#include "kernels/cpu/quantized_rows.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>

namespace xf::kernels {

namespace {

// QL3 of up to a strip of a row, from output m on.
inline void store(const int32_t* sums, const QuantizedLinearArgs& args, float row_scale, int64_t m,
                  float* y) {
  const int64_t count = std::min(kStrip, args.M - m);
  for (int64_t i = 0; i < count; ++i) {
    const float bias = args.bias ? args.bias[m + i] : 0;
    const float result = std::fma(static_cast<float>(sums[i]), args.scales[m + i] * row_scale, bias);
    y[m + i] = args.relu && result < 0 ? 0 : result;  // NaN stays NaN
  }
}

#ifdef __AVX2__

constexpr int kRowsAtOnce = 4, kHalves = 2;  // registers of a strip

// Adds p times |q| with its sign to eight sums.
inline __m256i add_quads(__m256i sums, __m256i p, __m256i q, __m256i magnitudes) {
  const __m256i pairs = _mm256_maddubs_epi16(magnitudes, _mm256_sign_epi8(p, q));
  return _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

// A quad of a row, without the 128, for all lanes.
inline __m256i for_all_lanes(const uint8_t* quad) {
  int bits;
  std::memcpy(&bits, quad, sizeof bits);
  return _mm256_set1_epi32(bits ^ static_cast<int>(0x80808080));
}

template <int kRows>
void multiply_tile(const QuantizedRows& rows, const QuantizedLinearArgs& args, int64_t row, int64_t strip) {
  const int64_t quads = rows.stride / kQuad;
  const int32_t* const weights = args.quads + strip * kStrip * quads;
  const uint8_t* const x = rows.values.data() + row * rows.stride;
  __m256i sums[kRows][kHalves];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) sums[r][0] = sums[r][1] = _mm256_setzero_si256();
  for (int64_t q = 0; q < quads; ++q) {
#pragma GCC unroll 2
    for (int half = 0; half < kHalves; ++half) {
      const auto* const from = reinterpret_cast<const __m256i*>(weights + q * kStrip) + half;
      const __m256i factors = _mm256_loadu_si256(from), magnitudes = _mm256_abs_epi8(factors);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const __m256i p = for_all_lanes(x + r * rows.stride + q * kQuad);
        sums[r][half] = add_quads(sums[r][half], p, factors, magnitudes);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    int32_t whole[kStrip];
    std::memcpy(whole, sums[r], sizeof whole);
    store(whole, args, rows.scales[static_cast<size_t>(row + r)], strip * kStrip,
          args.y + (row + r) * args.y_stride);
  }
}

#else

constexpr int kRowsAtOnce = 1;

template <int kRows>
void multiply_tile(const QuantizedRows& rows, const QuantizedLinearArgs& args, int64_t row, int64_t strip) {
  static_assert(kRows == 1);
  const int64_t quads = rows.stride / kQuad;
  const auto* const weights = reinterpret_cast<const int8_t*>(args.quads + strip * kStrip * quads);
  const uint8_t* const x = rows.values.data() + row * rows.stride;
  int32_t sums[kStrip] = {};
  for (int64_t q = 0; q < quads; ++q) {
    for (int64_t i = 0; i < kStrip * kQuad; ++i)
      sums[i / kQuad] += (x[q * kQuad + i % kQuad] - 128) * weights[q * kStrip * kQuad + i];
  }
  store(sums, args, rows.scales[static_cast<size_t>(row)], strip * kStrip, args.y + row * args.y_stride);
}

#endif

template <int kRows>
void add_tiles(QuantizedTiles& tiles) {
  tiles.strips[kRows] = 1;
  tiles.wide[kRows] = tiles.narrow[kRows] = multiply_tile<kRows>;
  if constexpr (kRows > 1) add_tiles<kRows - 1>(tiles);
}

}  // namespace

const QuantizedTiles& pair_tiles() {
  static const QuantizedTiles tiles = [] {
    QuantizedTiles all{.rows = kRowsAtOnce, .strips = {}, .wide = {}, .narrow = {}};
    add_tiles<kRowsAtOnce>(all);
    return all;
  }();
  return tiles;
}

}  // namespace xf::kernels
