// The tiled product in f32, on the ordinary units. The plan is in matmul_tiled.cuh.
//
// Stage. 16 columns of K; two stages of two tiles of 8 KiB are 32 KiB.
//
// Threads. 16 x 16 of them, each with 8 x 8 sums: per column of K it reads 16 floats for 128 FLOP. They
// should come as four float4s, so the tiles are kept transposed, [k][row]. cp.async cannot transpose, hence
// the next stage passes through 16 registers.
//
// Banks, reading. A thread's 8 rows are 4 and 4, 64 apart, so that the float4s of neighbouring threads touch.
// A warp is 4 x 8 threads: 8 neighbouring lanes read 128 bytes of B in one piece, and one float4 of A between
// them.
//
// Banks, writing. The 32 lanes of a warp write 32 neighbouring rows of one k. The price is paid in global
// memory, where a warp reads 16 bytes of each of 32 rows; the warps that read the rest of those sectors run
// at the same time and find them in L1.
#include "kernels/cuda/matmul_tiled.cuh"

namespace xf::kernels {

namespace {

using namespace xf::cuda;

constexpr int kStage = 16;  // columns of K
using Float4 = Pack<float>;
using Tile = float[kStage][kTile];

// A thread's share of a stage: of row threadIdx.x % 128, the float4s threadIdx.x / 128 and two further on.
struct Share {
  Float4 x[2];

  __device__ __forceinline__ void load(const TiledMatrix<float>& from, int64_t first, int64_t k, int64_t K,
                                       bool aligned) {
    const int64_t row = first + threadIdx.x % kTile;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int64_t column = k + 4 * (threadIdx.x / kTile + 2 * i);
      const bool there = row < from.rows && column < K;
      x[i] =
          Float4::load(from.data + (there ? row * from.stride + column : 0), there ? K - column : 0, aligned);
    }
  }
  __device__ __forceinline__ void store(Tile& tile) const {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j)
        tile[4 * (threadIdx.x / kTile + 2 * i) + j][threadIdx.x % kTile] = x[i].x[j];
    }
  }
};

// The thread's 8 rows of a tile, 4 and 4, from `first` on, at one k.
__device__ __forceinline__ void read_rows(float (&x)[8], const float* tile_row, int first) {
  const Float4 low = Float4::load(tile_row + first, 4, true),
               high = Float4::load(tile_row + kTile / 2 + first, 4, true);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    x[i] = low.x[i];
    x[4 + i] = high.x[i];
  }
}

__device__ __forceinline__ void store_sums(const TiledArgs<float>& args, int64_t first_row,
                                           int64_t first_column, const float (&sums)[8][8]) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int64_t row = first_row + i % 4 + i / 4 * (kTile / 2);
    if (row >= args.a.rows) continue;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int64_t column = first_column + j * (kTile / 2);
      const Float4 four = {{sums[i][4 * j], sums[i][4 * j + 1], sums[i][4 * j + 2], sums[i][4 * j + 3]}};
      four.store(args.c + row * args.c_stride + column, args.b.rows - column, args.aligned_c);
    }
  }
}

template <bool kAligned>
__global__ void __launch_bounds__(kTiledThreads, kAligned ? 2 : 1) matmul_tiled_f32(TiledArgs<float> args) {
  XF_SHARED(Tile[2], a_tiles);
  XF_SHARED(Tile[2], b_tiles);
  const int64_t first_row = static_cast<int64_t>(blockIdx.x) * kTile,
                first_column = static_cast<int64_t>(blockIdx.y) * kTile;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int my_row = 4 * (warp / 2 * 4 + lane / 8), my_column = 4 * (warp % 2 * 8 + lane % 8);
  Share a_share, b_share;
  const auto load = [&](int64_t k) {
    a_share.load(args.a, first_row, k, args.K, kAligned);
    b_share.load(args.b, first_column, k, args.K, kAligned);
  };
  const auto store = [&](int stage) {
    a_share.store(a_tiles[stage]);
    b_share.store(b_tiles[stage]);
  };
  float sums[8][8] = {};
  if (args.K > 0) {
    load(0);
    store(0);
  }
  int stage = 0;
  for (int64_t k = 0; k < args.K; k += kStage, stage ^= 1) {
    __syncthreads();
    const bool more = k + kStage < args.K;
    if (more) load(k + kStage);
#pragma unroll
    for (int i = 0; i < kStage; ++i) {
      float a[8], b[8];
      read_rows(a, a_tiles[stage][i], my_row);
      read_rows(b, b_tiles[stage][i], my_column);
#pragma unroll
      for (int m = 0; m < 8; ++m) {
#pragma unroll
        for (int n = 0; n < 8; ++n) sums[m][n] += a[m] * b[n];
      }
    }
    if (more) store(stage ^ 1);
  }
  store_sums(args, first_row + my_row, first_column + my_column, sums);
}

}  // namespace

template <>
void matmul_tiled(const MatmulArgs<float>& args) {
  launch_tiled(args, matmul_tiled_f32<true>, matmul_tiled_f32<false>, 0,
               rows_are_aligned(args.c, args.c_stride));
}

}  // namespace xf::kernels
