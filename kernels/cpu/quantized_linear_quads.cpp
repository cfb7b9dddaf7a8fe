// The instruction VPDPBUSD adds to each of sixteen sums the products of a quad of unsigned bytes
// and one of signed bytes: here a quad of a row, 128 added to each, for all lanes, and the quads of
// a strip's sixteen outputs. A sum begins as what takes the 128 away again. It wraps and never
// saturates, so that only where it ends must fit.
#include "kernels/cpu/quantized_rows.h"

#ifdef __AVX512BW__
#include <immintrin.h>
// GCC's own header seems to read what it leaves undefined (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <algorithm>
#include <cstring>

namespace xf::kernels {

#ifdef __AVX512BW__

// The rest of this level is for processors without AVX512_VNNI too.
#define XF_QUADS __attribute__((target("avx512vnni")))

namespace {

constexpr __mmask16 kAll = 0xFFFF;

inline __mmask16 first_lanes(int64_t count) {
  return static_cast<__mmask16>(count >= kStrip ? kAll : (1 << count) - 1);
}

inline __m512i for_all_lanes(const uint8_t* quad) {
  int bits;
  std::memcpy(&bits, quad, sizeof bits);
  return _mm512_set1_epi32(bits);
}

// QL3 of a strip of a row. A store under a mask costs many times one without.
inline void store(__m512i sums, __m512 scales, __m512 bias, bool relu, __mmask16 here, float* to) {
  __m512 y = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums), scales, bias);
  if (relu) y = _mm512_max_ps(_mm512_setzero_ps(), y);  // NaN stays NaN: it is the second one
  here == kAll ? _mm512_storeu_ps(to, y) : _mm512_mask_storeu_ps(to, here, y);
}

template <int kRows, int kStrips>
XF_QUADS void multiply_tile(const QuantizedRows& rows, const QuantizedLinearArgs& args, int64_t row,
                            int64_t strip) {
  const int64_t quads = rows.stride / kQuad, first = strip * kStrip;
  const int32_t* const weights = args.quads + first * quads;
  const uint8_t* const x = rows.values.data() + row * rows.stride;
  __m512i sums[kRows][kStrips];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int s = 0; s < kStrips; ++s) sums[r][s] = _mm512_loadu_si512(args.offsets + first + s * kStrip);
  }
  for (int64_t q = 0; q < quads; ++q) {
    __m512i factors[kStrips];
#pragma GCC unroll 4
    for (int s = 0; s < kStrips; ++s) factors[s] = _mm512_loadu_si512(weights + (s * quads + q) * kStrip);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const __m512i quad = for_all_lanes(x + r * rows.stride + q * kQuad);
#pragma GCC unroll 4
      for (int s = 0; s < kStrips; ++s) sums[r][s] = _mm512_dpbusd_epi32(sums[r][s], quad, factors[s]);
    }
  }
#pragma GCC unroll 4
  for (int s = 0; s < kStrips; ++s) {
    const int64_t m = first + s * kStrip;
    const __mmask16 here = first_lanes(args.M - m);
    const __m512 scales = _mm512_loadu_ps(args.scales + m);
    const __m512 bias = args.bias ? _mm512_maskz_loadu_ps(here, args.bias + m) : _mm512_setzero_ps();
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const __m512 both = _mm512_mul_ps(scales, _mm512_set1_ps(rows.scales[static_cast<size_t>(row + r)]));
      store(sums[r][s], both, bias, args.relu, here, args.y + (row + r) * args.y_stride + m);
    }
  }
}

// Enough sums that none waits for the one before it, four cycles long.
constexpr int strips_beside(int rows) { return rows <= 2 ? kMostTileStrips : 2; }

template <int kRows>
void add_tiles(QuantizedTiles& tiles) {
  tiles.strips[kRows] = strips_beside(kRows);
  tiles.wide[kRows] = multiply_tile<kRows, strips_beside(kRows)>;
  tiles.narrow[kRows] = multiply_tile<kRows, 1>;
  if constexpr (kRows > 1) add_tiles<kRows - 1>(tiles);
}

}  // namespace

const QuantizedTiles* quad_tiles() {
  static const QuantizedTiles tiles = [] {
    QuantizedTiles all{.rows = kMostTileRows, .strips = {}, .wide = {}, .narrow = {}};
    add_tiles<kMostTileRows>(all);
    return all;
  }();
  return __builtin_cpu_supports("avx512vnni") ? &tiles : nullptr;
}

#else

const QuantizedTiles* quad_tiles() { return nullptr; }

#endif

}  // namespace xf::kernels
