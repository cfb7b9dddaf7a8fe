// Sums over the rows of a matrix, whose bits depend on its shape alone: 64 rows are added up by one block,
// and the blocks' partial sums, in the workspace, by a second kernel, always in the same order and without
// atomics.
//
// First kernel: a block of 8 warps takes 64 rows x 128 floats or 256 bf16; a lane holds one pack of columns
// and adds eight rows, the warps meet in shared memory. 64 rows: the partial sums are 1/32 (bf16) or 1/64
// (f32) of what is read, and 4096 rows of 512 still make 128 blocks. Second kernel: 32 columns to a block,
// again over 8 warps.
#pragma once

#include "core/cuda.h"
#include "kernels/cuda/elements.cuh"

namespace xf::kernels {

constexpr int kSumWarps = 8, kRowsOfWarp = 8;
constexpr int64_t kRowsOfBlock = kSumWarps * kRowsOfWarp;

// partials [row blocks, D] written.  rows(row, column, left) -> Pack<T>: the terms of a pack of columns; what
// it returns past `left` is not used. Rows::kUnrolled: of how many rows a lane asks for the elements at once.
template <typename T, typename Rows>
__global__ void __launch_bounds__(32 * kSumWarps)
    sum_rows_of_block(int64_t N, int64_t D, float* partials, Rows rows) {
  constexpr int kCount = cuda::Pack<T>::kCount, kColumns = 32 * kCount;
  XF_SHARED(float[kSumWarps][kColumns], sums);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t row_block = blockIdx.x, first_column = static_cast<int64_t>(blockIdx.y) * kColumns;
  const int64_t column = first_column + lane * kCount,
                first_row = row_block * kRowsOfBlock + warp * kRowsOfWarp;
  cuda::Pack<T> sum = {};
  if (column < D) {
#pragma unroll Rows::kUnrolled
    for (int i = 0; i < kRowsOfWarp; ++i) {
      if (first_row + i >= N) break;
      const cuda::Pack<T> terms = rows(first_row + i, column, D - column);
#pragma unroll
      for (int j = 0; j < kCount; ++j) sum.x[j] += terms.x[j];
    }
  }
#pragma unroll
  for (int j = 0; j < kCount; ++j) sums[warp][lane * kCount + j] = sum.x[j];
  __syncthreads();
  const int at = static_cast<int>(threadIdx.x);
  if (at >= kColumns || first_column + at >= D) return;
  float total = 0;
#pragma unroll
  for (int w = 0; w < kSumWarps; ++w) total += sums[w][at];
  partials[row_block * D + first_column + at] = total;
}

// sum [D] += partials [blocks, D]: warp w adds up blocks w, w + 8, ..., then the warps' sums are added in
// order. A grid of height 2 does the same for `second` and the partials behind the first ones.
template <int kWarps = kSumWarps>
__global__ void __launch_bounds__(32 * kWarps)
    sum_partials(int64_t blocks, int64_t D, const float* partials, float* sum, float* second) {
  XF_SHARED(float[kWarps][32], sums);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t column = static_cast<int64_t>(blockIdx.x) * 32 + lane;
  if (blockIdx.y == 1) {
    partials += blocks * D;
    sum = second;
  }
  float total = 0;
  if (column < D) {
#pragma unroll 8
    for (int64_t block = warp; block < blocks; block += kWarps) total += partials[block * D + column];
  }
  sums[warp][lane] = total;
  __syncthreads();
  if (warp > 0 || column >= D) return;
  total = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) total += sums[w][lane];
  sum[column] += total;
}

// sum [D] accumulated.
template <typename T, typename Rows>
void column_sums(int64_t N, int64_t D, float* sum, const Rows& rows) {
  constexpr int64_t kColumns = 32 * cuda::Pack<T>::kCount;
  const auto count = [](int64_t n, int64_t size) { return static_cast<unsigned>((n + size - 1) / size); };
  const unsigned blocks = count(N, kRowsOfBlock);
  auto* const partials =
      static_cast<float*>(cuda::workspace(int64_t{blocks} * D * static_cast<int64_t>(sizeof(float))));
  cuda::launch(sum_rows_of_block<T, Rows>, dim3(blocks, count(D, kColumns)), dim3(32 * kSumWarps), 0,
               cuda::stream(), N, D, partials, rows);
  cuda::launch(sum_partials<>, dim3(count(D, 32)), dim3(32 * kSumWarps), 0, cuda::stream(), int64_t{blocks},
               D, partials, sum, static_cast<float*>(nullptr));
}

}  // namespace xf::kernels
