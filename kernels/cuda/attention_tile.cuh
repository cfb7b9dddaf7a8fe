// The pieces of the attention kernels: rows of q, k, v in shared memory, and tiles of scores and
// sums in the registers of a warp. A warp works on 16 rows (queries, or keys) against up to 64 rows
// of the other side:
//   add_product_transposed   c [16, n] += a [16, width] b [n, width]^T     a, b in shared memory (q k^T, ...)
//   add_product              c [16, width] += p [16, n] b [n, width]       p in registers (p v, ds k, ...)
//   add_product_of_columns   c [16, width] += a [16, 16]^T b [16, width]   a, b in shared memory (p^T do, ds^T q)
// bf16 goes through the tensor cores, f32 through plain fused multiply-adds in the same
// arrangement, so that the kernels are written once. Equation numbers:
// docs/derivations/attention.md.
#pragma once

#include "kernels/attention.h"
#include "kernels/cuda/elements.cuh"

namespace xf::kernels::attention {

using cuda::from_float;
using cuda::to_float;

constexpr int kWarp = 32;
constexpr int kRows = 16;  // of a warp's tile: the m of mma 16x8x16
constexpr int kTile = 64;  // rows of the other side

// To whole groups of 16 rows.
__host__ __device__ __forceinline__ int rounded_up(int rows) { return (rows + kRows - 1) / kRows * kRows; }

// body.operator()<kCount>() with kCount = rounded_up(rows), at most kMost, as a constant: the
// products' loops then have no end to look for, and one's instructions start before the last one's
// are done. A warp's lanes take the same turn.
template <int kMost, typename Body>
__device__ __forceinline__ void with_whole_groups(int rows, const Body& body) {
  if constexpr (kMost > kRows) {
    if (rows <= kMost - kRows) return with_whole_groups<kMost - kRows>(rows, body);
  }
  body.template operator()<kMost>();
}

// Rows in shared memory stand `kPitch` elements apart, 16 bytes more than a head's width rounded up
// to kWidth: eight rows read at one column touch all 32 banks once.
template <typename T, int kWidth>
inline constexpr int kPitch = kWidth + 16 / static_cast<int>(sizeof(T));

// 16 rows x kColumns in f32. Lane l holds rows l / 4 and l / 4 + 8: at[n][e] is row l / 4 + 8 (e /
// 2).
template <int kColumns>
struct RowTile {
  float at[kColumns / 8][4] = {};
};

__device__ __forceinline__ int lane_index() { return static_cast<int>(threadIdx.x) % kWarp; }
__device__ __forceinline__ int tile_row(int e) { return lane_index() / 4 + 8 * (e / 2); }

// The column of at[n][e] in a tile of scores. bf16: as mma leaves them. f32: four lanes read four
// rows of b in a row, which are in different banks.
template <typename T>
__device__ __forceinline__ int score_column(int n, int e) {
  const int place = lane_index() % 4;
  return std::is_same_v<T, float> ? 8 * n + 4 * (e % 2) + place : 8 * n + 2 * place + e % 2;
}
// The column of at[n][e] in a tile of sums. f32: four in a row, 16 bytes of a row of b.
template <typename T>
__device__ __forceinline__ int sum_column(int n, int e) {
  const int place = lane_index() % 4;
  return std::is_same_v<T, float> ? 16 * (n / 2) + 4 * place + 2 * (n % 2) + e % 2
                                  : 8 * n + 2 * place + e % 2;
}

// body(n, e, column) for this lane's elements of a tile's blocks of eight columns that begin before
// `columns`. The others are left alone: they are zero.
template <typename T, int kColumns, typename Body>
__device__ __forceinline__ void for_each_score(const RowTile<kColumns>&, int columns, const Body& body) {
#pragma unroll
  for (int n = 0; n < kColumns / 8; ++n) {
    if (8 * n >= columns) break;
#pragma unroll
    for (int e = 0; e < 4; ++e) body(n, e, score_column<T>(n, e));
  }
}

// A tile of scores to shared memory, whose rows are `pitch` apart: in blocks of eight columns that
// begin before `columns`.
template <typename T, int kColumns>
__device__ __forceinline__ void store_scores(const RowTile<kColumns>& scores, int columns, T* rows,
                                             int pitch) {
#pragma unroll
  for (int n = 0; n < kColumns / 8; ++n) {
    if (8 * n >= columns) break;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      T* const row = rows + tile_row(2 * half) * pitch;
      const float left = scores.at[n][2 * half], right = scores.at[n][2 * half + 1];
      if constexpr (std::is_same_v<T, float>) {
        row[score_column<T>(n, 0)] = left;
        row[score_column<T>(n, 1)] = right;
      } else {
        *reinterpret_cast<uint32_t*>(row + score_column<T>(n, 0)) = cuda::pack_bf16x2(left, right);
      }
    }
  }
}

__device__ __forceinline__ float4 load_float4(const float* p) {
  const uint4 v = cuda::load_16(p);
  return make_float4(__uint_as_float(v.x), __uint_as_float(v.y), __uint_as_float(v.z), __uint_as_float(v.w));
}

// c += a b^T over rows 0 .. columns-1 of b, in whole blocks of eight. All rows are kPitch apart.
template <int kWidth, int kColumns>
__device__ __forceinline__ void add_product_transposed(const float* a, const float* b, int columns,
                                                       RowTile<kColumns>& c) {
  constexpr int kPitch = attention::kPitch<float, kWidth>;
  const float* const rows[2] = {a + tile_row(0) * kPitch, a + tile_row(2) * kPitch};
#pragma unroll 2
  for (int d = 0; d < kWidth; d += 4) {
    const float4 x[2] = {load_float4(rows[0] + d), load_float4(rows[1] + d)};
#pragma unroll
    for (int n = 0; n < kColumns / 8; ++n) {
      if (8 * n >= columns) break;
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const float4 y = load_float4(b + score_column<float>(n, e) * kPitch + d);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float& sum = c.at[n][2 * half + e];
          sum = fmaf(x[half].x, y.x, sum);
          sum = fmaf(x[half].y, y.y, sum);
          sum = fmaf(x[half].z, y.z, sum);
          sum = fmaf(x[half].w, y.w, sum);
        }
      }
    }
  }
}

template <int kWidth, int kColumns>
__device__ __forceinline__ void add_product_transposed(const bf16* a, const bf16* b, int columns,
                                                       RowTile<kColumns>& c) {
  constexpr int kPitch = attention::kPitch<bf16, kWidth>;
  const int lane = lane_index();
  const bf16* const a_row = a + lane % 16 * kPitch + lane / 16 * 8;
  const bf16* const b_row = b + lane % 8 * kPitch + lane / 8 * 8;
#pragma unroll
  for (int d = 0; d < kWidth; d += 32) {
    uint32_t x[2][4];
    cuda::load_matrix_x4(x[0], a_row + d);
    cuda::load_matrix_x4(x[1], a_row + d + 16);
#pragma unroll
    for (int n = 0; n < kColumns / 8; ++n) {
      if (8 * n >= columns) break;
      uint32_t y[4];
      cuda::load_matrix_x4(y, b_row + 8 * n * kPitch + d);
      cuda::mma_16x8x16(c.at[n], x[0], {y[0], y[1]}, c.at[n]);
      cuda::mma_16x8x16(c.at[n], x[1], {y[2], y[3]}, c.at[n]);
    }
  }
}

// c's rows of this lane += x times a row of b.
template <int kWidth>
__device__ __forceinline__ void add_multiples(const float (&x)[2], const float* b_row, RowTile<kWidth>& c) {
#pragma unroll
  for (int m = 0; m < kWidth / 16; ++m) {
    const float4 y = load_float4(b_row + 16 * m + 4 * (lane_index() % 4));
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float(&even)[4] = c.at[2 * m], (&odd)[4] = c.at[2 * m + 1];
      even[2 * half] = fmaf(x[half], y.x, even[2 * half]);
      even[2 * half + 1] = fmaf(x[half], y.y, even[2 * half + 1]);
      odd[2 * half] = fmaf(x[half], y.z, odd[2 * half]);
      odd[2 * half + 1] = fmaf(x[half], y.w, odd[2 * half + 1]);
    }
  }
}

// c += x b for 16 rows of b, with x as mma takes it.
template <int kWidth>
__device__ __forceinline__ void add_fragment(const uint32_t (&x)[4], const bf16* b, RowTile<kWidth>& c) {
  constexpr int kPitch = attention::kPitch<bf16, kWidth>;
  const bf16* const row = b + lane_index() % 16 * kPitch + lane_index() / 16 * 8;
#pragma unroll
  for (int n = 0; n < kWidth / 8; n += 2) {
    uint32_t y[4];
    cuda::load_matrix_x4_transposed(y, row + 8 * n);
    cuda::mma_16x8x16(c.at[n], x, {y[0], y[1]}, c.at[n]);
    cuda::mma_16x8x16(c.at[n + 1], x, {y[2], y[3]}, c.at[n + 1]);
  }
}

// c += p b over rows 0 .. columns-1 of b; p's columns are scores'.
template <int kWidth, int kColumns>
__device__ __forceinline__ void add_product(const RowTile<kColumns>& p, const float* b, int columns,
                                            RowTile<kWidth>& c) {
  constexpr int kPitch = attention::kPitch<float, kWidth>;
  const int lane = lane_index();
#pragma unroll
  for (int n = 0; n < kColumns / 8; ++n) {
    if (8 * n >= columns) break;
#pragma unroll
    for (int e = 0; e < 2; ++e) {
#pragma unroll 1
      for (int place = 0; place < 4; ++place) {  // the lane of these rows that has the column
        const int from = lane / 4 * 4 + place;
        const float x[2] = {__shfl_sync(cuda::kFullWarp, p.at[n][e], from),
                            __shfl_sync(cuda::kFullWarp, p.at[n][2 + e], from)};
        add_multiples(x, b + (8 * n + 4 * e + place) * kPitch, c);
      }
    }
  }
}

template <int kWidth, int kColumns>
__device__ __forceinline__ void add_product(const RowTile<kColumns>& p, const bf16* b, int columns,
                                            RowTile<kWidth>& c) {
  constexpr int kPitch = attention::kPitch<bf16, kWidth>;
#pragma unroll
  for (int k = 0; k < kColumns / 16; ++k) {
    if (16 * k >= columns) break;
    const float(&left)[4] = p.at[2 * k], (&right)[4] = p.at[2 * k + 1];
    add_fragment({cuda::pack_bf16x2(left[0], left[1]), cuda::pack_bf16x2(left[2], left[3]),
                  cuda::pack_bf16x2(right[0], right[1]), cuda::pack_bf16x2(right[2], right[3])},
                 b + 16 * k * kPitch, c);
  }
}

// c += a^T b: 16 columns of a, whose rows are `pitch` apart, and 16 rows of b.
template <int kWidth>
__device__ __forceinline__ void add_product_of_columns(const float* a, int pitch, const float* b,
                                                       RowTile<kWidth>& c) {
#pragma unroll 4
  for (int row = 0; row < kRows; ++row) {
    add_multiples({a[row * pitch + tile_row(0)], a[row * pitch + tile_row(2)]},
                  b + row * attention::kPitch<float, kWidth>, c);
  }
}

template <int kWidth>
__device__ __forceinline__ void add_product_of_columns(const bf16* a, int pitch, const bf16* b,
                                                       RowTile<kWidth>& c) {
  const int lane = lane_index();
  uint32_t x[4];
  cuda::load_matrix_x4_transposed(x, a + (lane % 8 + lane / 16 * 8) * pitch + lane / 8 % 2 * 8);
  add_fragment(x, b, c);
}

// Over the four lanes that share a row.
__device__ __forceinline__ float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(cuda::kFullWarp, x, 1));
  return fmaxf(x, __shfl_xor_sync(cuda::kFullWarp, x, 2));
}
__device__ __forceinline__ float row_sum(float x) {
  x += __shfl_xor_sync(cuda::kFullWarp, x, 1);
  return x + __shfl_xor_sync(cuda::kFullWarp, x, 2);
}

}  // namespace xf::kernels::attention
