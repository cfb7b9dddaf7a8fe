// The frame of the long path's kernels: which tile a block has, and the walk over the other side's
// tiles.
#pragma once

#include "kernels/cuda/attention_rows.cuh"

namespace xf::kernels::attention {

constexpr int kThreads = kTile / kRows * kWarp;  // a warp for every 16 rows of a block's tile

template <typename T, int kWidth>
constexpr size_t kTileBytes = static_cast<size_t>(kTile) * kPitch<T, kWidth> * sizeof(T);

// Tiles of the other side that a block holds: the next one is under way while it works on one.
template <typename T>
constexpr int kStages = std::is_same_v<T, float> ? 1 : 2;

// The host does not know the lengths of sentences, so tiles are numbered generously: sentence b's
// begin at offsets[b] / 64 + b, which leaves room for the ceil(length / 64) it has. After them come
// a few blocks for the spare rows.
inline dim3 long_grid(int64_t tokens, int64_t B, int64_t H) {
  const int64_t tiles = B > 0 ? tokens / kTile + B : 0;
  return dim3(static_cast<unsigned>(tiles) + kClearingBlocks, static_cast<unsigned>(H));
}

// This block's place: its sentence (-1: none, it has part `spare` of the spare rows) and its first
// row in it, which may be past the end.
struct TilePlace {
  int64_t sentence;
  int first, spare;
};
__device__ __forceinline__ TilePlace tile_place(const int32_t* offsets, int64_t B) {
  const int64_t tile = blockIdx.x, tiles = gridDim.x - kClearingBlocks;
  if (tile >= tiles) return {-1, 0, static_cast<int>(tile - tiles)};
  int64_t low = 0, high = B;  // the last sentence that begins at `tile` or before
  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;
    if (offsets[middle] / kTile + middle <= tile) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return {low, static_cast<int>(tile - offsets[low] / kTile - low) * kTile, 0};
}

// Rows first .. first + 63 of a sentence with `length` of them to shared memory, by the whole
// block.
template <int kWidth, typename T, typename Alignment>
__device__ __forceinline__ void load_tile(const HeadRows<const T, Alignment>& from, int first, int length,
                                          T* shared) {
  load_rows<kWidth>(from, first, min(kTile, length - first), kTile, static_cast<int>(threadIdx.x), kThreads,
                    shared);
}

// body(a, b, first) for the tiles of rows begin .. end - 1, in order; a and b are in shared memory,
// which has room for kStages pairs of tiles. `length`: of the sentence. What the block loaded
// before is there, too, in the first call.
template <int kWidth, typename T, typename Alignment, typename Body>
__device__ __forceinline__ void for_each_tile(const HeadRows<const T, Alignment>& a_rows,
                                              const HeadRows<const T, Alignment>& b_rows, int begin, int end,
                                              int length, T* shared, const Body& body) {
  constexpr int kElements = kTile * kPitch<T, kWidth>;
  const auto load = [&](int first, int stage) {
    T* const a = shared + 2 * stage * kElements;
    load_tile<kWidth>(a_rows, first, length, a);
    load_tile<kWidth>(b_rows, first, length, a + kElements);
    cuda::copy_async_commit();
  };
  if (begin < end) load(begin, 0);
  for (int first = begin, stage = 0; first < end; first += kTile) {
    cuda::copy_async_wait<0>();
    __syncthreads();  // this tile is there, and the one before has been read
    const bool more = first + kTile < end;
    const T* const a = shared + 2 * stage * kElements;
    if (kStages<T> == 2 && more) load(first + kTile, 1 - stage);
    body(a, a + kElements, first);
    if (kStages<T> == 2) {
      stage = 1 - stage;
    } else if (more) {
      __syncthreads();  // this tile has been read
      load(first + kTile, 0);
    }
  }
}

}  // namespace xf::kernels::attention
