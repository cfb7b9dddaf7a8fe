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
#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

constexpr int kSumWarps = 8, kRowsOfWarp = 8;
constexpr int64_t kRowsOfBlock = kSumWarps * kRowsOfWarp;

// partials [row blocks, D] written. Of a pack of columns of a row, `left` elements of which are there, 0 in rows that are not:
//   rows.read(row, column, left, whole) -> Rows::Read       what it is made of
//   rows.terms(read, row, column, left, whole) -> Pack<T>   its terms, zeros where nothing is; may write
// Rows::kUnrolled: of so many rows a lane reads before it makes the terms of the first. What is written might be what is read
// for all that the compiler knows, so it would not do that by itself.
template <typename T, typename Rows, typename Whole>
__global__ void __launch_bounds__(32 * kSumWarps)
    sum_rows_of_block(int64_t N, int64_t D, float* partials, Rows rows, Whole whole) {
  constexpr int kCount = cuda::Pack<T>::kCount, kColumns = 32 * kCount;
  XF_SHARED(float[kSumWarps][kColumns], sums);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t row_block = blockIdx.x, first_column = static_cast<int64_t>(blockIdx.y) * kColumns;
  const int64_t column = first_column + lane * kCount,
                first_row = row_block * kRowsOfBlock + warp * kRowsOfWarp;
  cuda::Pack<T> sum = {};
  if (column < D) {
    const auto left = [&](int i) { return first_row + i < N ? D - column : 0; };
    for (int i = 0; i < kRowsOfWarp; i += Rows::kUnrolled) {
      typename Rows::Read read[Rows::kUnrolled];
#pragma unroll
      for (int k = 0; k < Rows::kUnrolled; ++k)
        read[k] = rows.read(first_row + i + k, column, left(i + k), whole);
#pragma unroll
      for (int k = 0; k < Rows::kUnrolled; ++k) {
        const cuda::Pack<T> terms = rows.terms(read[k], first_row + i + k, column, left(i + k), whole);
#pragma unroll
        for (int j = 0; j < kCount; ++j) sum.x[j] += terms.x[j];
      }
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

// Rows whose terms are the elements of a matrix.
template <typename T>
struct Elements {
  static constexpr int kUnrolled = 8;
  Matrix<const T> x;
  using Read = cuda::Pack<T>;
  bool whole(int64_t width) const { return all_whole(width, x); }
  template <typename Whole>
  __device__ Read read(int64_t row, int64_t column, int64_t left, Whole whole) const {
    return x.load(row, column, left, whole);
  }
  template <typename Whole>
  __device__ Read terms(const Read& read, int64_t, int64_t, int64_t, Whole) const {
    return read;
  }
};

// sum [D] accumulated.
template <typename T, typename Rows>
void column_sums(int64_t N, int64_t D, float* sum, const Rows& rows) {
  constexpr int64_t kColumns = 32 * cuda::Pack<T>::kCount;
  const auto count = [](int64_t n, int64_t size) { return static_cast<unsigned>((n + size - 1) / size); };
  const unsigned blocks = count(N, kRowsOfBlock);
  auto* const partials =
      static_cast<float*>(cuda::workspace(int64_t{blocks} * D * static_cast<int64_t>(sizeof(float))));
  cuda::with_packs_of_rows(rows.whole(D), [&](auto whole) {
    cuda::launch(sum_rows_of_block<T, Rows, decltype(whole)>, dim3(blocks, count(D, kColumns)),
                 dim3(32 * kSumWarps), 0, cuda::stream(), N, D, partials, rows, whole);
  });
  cuda::launch(sum_partials<>, dim3(count(D, 32)), dim3(32 * kSumWarps), 0, cuda::stream(), int64_t{blocks},
               D, partials, sum, static_cast<float*>(nullptr));
}

}  // namespace xf::kernels
