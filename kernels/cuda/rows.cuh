// How the elementwise kernels walk a matrix. A warp takes 32 packs of 16 bytes, 128 floats or 256 bf16, of
// one row at a time: its loads and stores are whole cache lines, its row is the same in all lanes, and one
// row of the tiny model is one step. Blocks of 256 threads, so that eight of them fill a multiprocessor.
#pragma once

#include <algorithm>

#include "core/cuda.h"
#include "kernels/cuda/elements.cuh"

namespace xf::kernels {

constexpr int kRowsThreads = 256;
constexpr int kRowsWarps = kRowsThreads / 32;
constexpr int64_t kMostRowsBlocks = 2048;  // two waves of eight to a multiprocessor on the largest GPU

// Columns that a warp takes at a time.
template <typename T>
constexpr int64_t kSpan = 32 * cuda::Pack<T>::kCount;

// A matrix, or a vector as a matrix of equal rows (stride 0). T may be const.
template <typename T>
struct Matrix {
  using Pack = cuda::Pack<std::remove_const_t<T>>;

  T* data;
  int64_t stride;
  bool aligned;

  Matrix(T* first, int64_t row_stride)
      : data(first),
        stride(row_stride),
        aligned(cuda::rows_are_aligned<std::remove_const_t<T>>(first, row_stride)) {}

  // `left` elements of the row from `column` on.
  template <typename Whole>
  __device__ __forceinline__ Pack load(int64_t row, int64_t column, int64_t left, Whole whole) const {
    return Pack::load(data + row * stride + column, left, whole);
  }
  template <typename Whole>
  __device__ __forceinline__ void store(const Pack& pack, int64_t row, int64_t column, int64_t left,
                                        Whole whole) const {
    pack.store(data + row * stride + column, left, whole);
  }
};

// Whether rows of `width` of all these matrices are whole packs.
template <typename... T>
bool all_whole(int64_t width, const Matrix<T>&... matrices) {
  return ((matrices.aligned && width % Matrix<T>::Pack::kCount == 0) && ...);
}

// Whether rows of `width` of all these arrays, one behind the other, are whole packs; those that are not there do not count.
template <typename... T>
bool all_whole(int64_t width, T*... arrays) {
  return all_whole(width, Matrix<T>(arrays, width)...);
}

// A norm's factor: of the sum of a row's squares (RM0), or of those of what is left without its mean (LN0).
__device__ __forceinline__ float rstd_of(float squares, int64_t D, float eps) {
  return 1.0f / sqrtf(squares / static_cast<float>(D) + eps);
}

// body(row, column, left, whole): the pack that begins at `column`, of which `left` or more elements are in the row.
template <typename T, typename Body, typename Whole>
__global__ void __launch_bounds__(kRowsThreads)
    walk_packs(uint32_t spans, uint32_t spans_in_row, int64_t width, Body body, Whole whole) {
  const uint32_t lane = threadIdx.x % 32, warps = gridDim.x * kRowsWarps;
  for (uint64_t span = blockIdx.x * kRowsWarps + threadIdx.x / 32; span < spans; span += warps) {
    const uint32_t row = static_cast<uint32_t>(span) / spans_in_row;
    const int64_t place = static_cast<uint32_t>(span) - row * spans_in_row;
    const int64_t column = place * kSpan<T> + lane * cuda::Pack<T>::kCount;
    if (column < width) body(static_cast<int64_t>(row), column, width - column, whole);
  }
}

// Body::whole(width): whether what it reads and writes of rows so wide are whole packs.
template <typename T, typename Body>
void for_each_pack(int64_t rows, int64_t width, const Body& body) {
  const int64_t in_row = (width + kSpan<T> - 1) / kSpan<T>, spans = rows * in_row;
  XF_CHECK(spans < UINT32_MAX, "cuda: {} rows of {} elements are too many for one kernel", rows, width);
  const int64_t blocks = std::min((spans + kRowsWarps - 1) / kRowsWarps, kMostRowsBlocks);
  cuda::with_packs_of_rows(body.whole(width), [&](auto whole) {
    cuda::launch(walk_packs<T, Body, decltype(whole)>, dim3(static_cast<unsigned>(blocks)),
                 dim3(kRowsThreads), 0, cuda::stream(), static_cast<uint32_t>(spans),
                 static_cast<uint32_t>(in_row), width, body, whole);
  });
}

}  // namespace xf::kernels
