// How kernels walk a matrix: element by element, with dropout, and to add up its columns.
//
// Elementwise: a warp takes 32 packs of 16 bytes, 128 floats or 256 bf16, of
// one row at a time: its loads and stores are whole cache lines, its row is the same in all lanes,
// and one row of the tiny model is one step. Blocks of 256 threads, so that eight of them fill a
// multiprocessor.
//
// Column sums, whose bits depend on the matrix's shape alone: 64 rows are added up by one block,
// and the blocks' partial sums, in the workspace, by a second kernel, always in the same order and
// without atomics.
//
// First kernel: a block of 8 warps takes 64 rows x 128 floats or 256 bf16; a lane holds one pack of
// columns and adds eight rows, the warps meet in shared memory. 64 rows: the partial sums are 1/32
// (bf16) or 1/64 (f32) of what is read, and 4096 rows of 512 still make 128 blocks. Second kernel:
// 32 columns to a block, again over 8 warps.
#pragma once

#include <algorithm>

#include "core/cuda.h"
#include "kernels/cuda/elements.cuh"
#include "kernels/dropout.h"

namespace xf::kernels {

constexpr int kRowsThreads = 256;
constexpr int kRowsWarps = kRowsThreads / 32;
constexpr int64_t kMostRowsBlocks = 2048;  // two waves of eight to a multiprocessor on the largest
                                           // GPU

// Columns that a warp takes at a time.
template <typename T>
constexpr int64_t kSpan = 32 * cuda::Vec16<T>::kCount;

// A matrix, or a vector as a matrix of equal rows (stride 0). T may be const.
template <typename T>
struct Matrix {
  using Vec16 = cuda::Vec16<std::remove_const_t<T>>;

  T* data;
  int64_t stride;
  bool aligned;

  Matrix(T* first, int64_t row_stride)
      : data(first),
        stride(row_stride),
        aligned(cuda::rows_are_aligned<std::remove_const_t<T>>(first, row_stride)) {}

  // `left` elements of the row from `column` on.
  template <typename Alignment>
  __device__ __forceinline__ Vec16 load(int64_t row, int64_t column, int64_t left,
                                        Alignment alignment) const {
    return Vec16::load(data + row * stride + column, left, alignment);
  }
  template <typename Alignment>
  __device__ __forceinline__ void store(const Vec16& pack, int64_t row, int64_t column, int64_t left,
                                        Alignment alignment) const {
    pack.store(data + row * stride + column, left, alignment);
  }
};

// Whether rows of `width` of all these matrices are whole packs.
template <typename... T>
bool all_aligned(int64_t width, const Matrix<T>&... matrices) {
  return ((matrices.aligned && width % Matrix<T>::Vec16::kCount == 0) && ...);
}

// Whether rows of `width` of all these arrays, one behind the other, are whole packs; those that
// are not there do not count.
template <typename... T>
bool all_aligned(int64_t width, T*... arrays) {
  return all_aligned(width, Matrix<T>(arrays, width)...);
}

// A norm's factor: of the sum of a row's squares (RM0), or of those of what is left without its
// mean (LN0).
__device__ __forceinline__ float rstd_of(float squares, int64_t D, float eps) {
  return 1.0f / sqrtf(squares / static_cast<float>(D) + eps);
}

// body(row, column, left, alignment): the pack that begins at `column`, of which `left` or more
// elements are in the row.
template <typename T, typename Body, typename Alignment>
__global__ void __launch_bounds__(kRowsThreads)
    walk_packs(uint32_t spans, uint32_t spans_in_row, int64_t width, Body body, Alignment alignment) {
  const uint32_t lane = threadIdx.x % 32, warps = gridDim.x * kRowsWarps;
  for (uint64_t span = blockIdx.x * kRowsWarps + threadIdx.x / 32; span < spans; span += warps) {
    const uint32_t row = static_cast<uint32_t>(span) / spans_in_row;
    const int64_t place = static_cast<uint32_t>(span) - row * spans_in_row;
    const int64_t column = place * kSpan<T> + lane * cuda::Vec16<T>::kCount;
    if (column < width) body(static_cast<int64_t>(row), column, width - column, alignment);
  }
}

// Body::rows_aligned(width): whether what it reads and writes of rows so wide are whole packs.
template <typename T, typename Body>
void for_each_pack(int64_t rows, int64_t width, const Body& body) {
  const int64_t in_row = (width + kSpan<T> - 1) / kSpan<T>, spans = rows * in_row;
  XF_CHECK(spans < UINT32_MAX, "cuda: {} rows of {} elements are too many for one kernel", rows, width);
  const int64_t blocks = std::min((spans + kRowsWarps - 1) / kRowsWarps, kMostRowsBlocks);
  cuda::dispatch_alignment(body.rows_aligned(width), [&](auto alignment) {
    cuda::launch(walk_packs<T, Body, decltype(alignment)>, dim3(static_cast<unsigned>(blocks)),
                 dim3(kRowsThreads), 0, cuda::stream(), static_cast<uint32_t>(spans),
                 static_cast<uint32_t>(in_row), width, body, alignment);
  });
}

// Dropout inside a kernel: a pack of elements, multiplied by 0 or 1/(1-p) (DR1, DR2, DR3). A
// counter gives the words of four columns, so a pack of 4 floats needs one, a pack of 8 bf16 two.
// column: of x[0]; a multiple of 4. Does nothing where dropout is off.
template <typename T>
__device__ __forceinline__ void drop(const DropoutArgs& dropout, int64_t row, int64_t column,
                                     cuda::Vec16<T>& pack) {
  if (!dropout.active()) return;
#pragma unroll
  for (int i = 0; i < cuda::Vec16<T>::kCount; i += 4) {
    const Philox words = dropout.words(static_cast<uint32_t>((column + i) / 4), static_cast<uint32_t>(row));
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float factor = words.x[j] >= dropout.threshold ? dropout.scale : 0.0f;
      pack.x[i + j] = cuda::product(pack.x[i + j], factor);
    }
  }
}

constexpr int kSumWarps = 8, kRowsOfWarp = 8;
constexpr int64_t kRowsOfBlock = kSumWarps * kRowsOfWarp;

// partials [row blocks, D] written. Of a pack of columns of a row, `left` elements of which are
// there, 0 in rows that are not:
//   rows.read(row, column, left, alignment) -> Rows::Read       what it is made of
//   rows.terms(read, row, column, left, alignment) -> Vec16<T>   its terms, zeros where nothing is; may write
// Rows::kUnrolled: of so many rows a lane reads before it makes the terms of the first. What is
// written might be what is read for all that the compiler knows, so it would not do that by itself.
template <typename T, typename Rows, typename Alignment>
__global__ void __launch_bounds__(32 * kSumWarps)
    sum_rows_of_block(int64_t N, int64_t D, float* partials, Rows rows, Alignment alignment) {
  constexpr int kCount = cuda::Vec16<T>::kCount, kColumns = 32 * kCount;
  XF_SHARED(float[kSumWarps][kColumns], sums);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t row_block = blockIdx.x, first_column = static_cast<int64_t>(blockIdx.y) * kColumns;
  const int64_t column = first_column + lane * kCount,
                first_row = row_block * kRowsOfBlock + warp * kRowsOfWarp;
  cuda::Vec16<T> sum = {};
  if (column < D) {
    const auto left = [&](int i) { return first_row + i < N ? D - column : 0; };
    for (int i = 0; i < kRowsOfWarp; i += Rows::kUnrolled) {
      typename Rows::Read read[Rows::kUnrolled];
#pragma unroll
      for (int k = 0; k < Rows::kUnrolled; ++k)
        read[k] = rows.read(first_row + i + k, column, left(i + k), alignment);
#pragma unroll
      for (int k = 0; k < Rows::kUnrolled; ++k) {
        const cuda::Vec16<T> terms = rows.terms(read[k], first_row + i + k, column, left(i + k), alignment);
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

// sum [D] += partials [blocks, D]: warp w adds up blocks w, w + 8, ..., then the warps' sums are
// added in order. A grid of height 2 does the same for `second` and the partials behind the first
// ones.
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
  using Read = cuda::Vec16<T>;
  bool rows_aligned(int64_t width) const { return all_aligned(width, x); }
  template <typename Alignment>
  __device__ Read read(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    return x.load(row, column, left, alignment);
  }
  template <typename Alignment>
  __device__ Read terms(const Read& read, int64_t, int64_t, int64_t, Alignment) const {
    return read;
  }
};

// sum [D] accumulated.
template <typename T, typename Rows>
void column_sums(int64_t N, int64_t D, float* sum, const Rows& rows) {
  constexpr int64_t kColumns = 32 * cuda::Vec16<T>::kCount;
  const auto count = [](int64_t n, int64_t size) { return static_cast<unsigned>((n + size - 1) / size); };
  const unsigned blocks = count(N, kRowsOfBlock);
  auto* const partials =
      static_cast<float*>(cuda::workspace(int64_t{blocks} * D * static_cast<int64_t>(sizeof(float))));
  cuda::dispatch_alignment(rows.rows_aligned(D), [&](auto alignment) {
    cuda::launch(sum_rows_of_block<T, Rows, decltype(alignment)>, dim3(blocks, count(D, kColumns)),
                 dim3(32 * kSumWarps), 0, cuda::stream(), N, D, partials, rows, alignment);
  });
  cuda::launch(sum_partials<>, dim3(count(D, 32)), dim3(32 * kSumWarps), 0, cuda::stream(), int64_t{blocks},
               D, partials, sum, static_cast<float*>(nullptr));
}

}  // namespace xf::kernels
