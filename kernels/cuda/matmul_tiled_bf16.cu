// The tiled product in bf16, on tensor cores. The plan is in matmul_tiled.cuh.
//
// Stage. 64 columns of K, so that a row of a tile is 128 bytes: 8 chunks of 16 bytes, all 32 banks once. Two
// stages of two tiles of 16 KiB are 64 KiB. From global to shared memory by cp.async, past the registers;
// 8 neighbouring threads copy one row, 128 bytes in one piece.
//
// Warps. 2 x 4 of them, each with 64 x 32 of C as 4 x 4 products m16n8k16. The instruction wants its operands
// spread over the lanes in blocks of 8 x 8, which ldmatrix delivers four at a time: each lane names the
// address of one row of 16 bytes. B^T must be column-major for it, and that is how B [N, K] lies there:
// neither operand is transposed.
//
// Banks. The 8 rows of a block are the same chunk of 8 neighbouring rows of a tile, 128 bytes apart and hence
// in the same 4 banks: 8 turns instead of 1. So chunk c of row r is kept in place c ^ (r mod 8). The same
// chunk of 8 rows then lies in 8 different places, and so do the 8 chunks of one row when it is written. No
// padding.
//
// Counts. For a warp and 16 columns of K, 6 ldmatrix bring (64 + 32) 16 elements = 3 KiB for 16 mma of 4096
// FLOP: 21 FLOP per byte. An SM reads 128 bytes of shared memory a cycle, good for 2731 FLOP: more than
// Ampere's tensor cores do in that time (2048), two thirds of Hopper's (4096), whose own instruction, wgmma,
// reads shared memory without the detour over registers. For a block and a stage, 32 KiB from L2 for 2 x 128
// x 128 x 64 = 2.1 MFLOP: 64 FLOP per byte. Registers: 64 sums, 24 for operands, the rest for addresses.
#include "kernels/cuda/matmul_tiled.cuh"

namespace xf::kernels {

namespace {

using namespace xf::cuda;

constexpr int kStage = 64;                // columns of K
constexpr int kChunk = 8;                 // bf16 in 16 bytes
constexpr int kChunks = kStage / kChunk;  // in a row of a tile
constexpr int kTileElements = kTile * kStage;
constexpr size_t kSharedBytes = 4 * kTileElements * sizeof(bf16);  // 2 stages of a and b
constexpr int kWarpM = 64, kWarpN = 32;

__device__ __forceinline__ bf16* chunk_of(bf16* tile, int row, int chunk) {
  return tile + row * kStage + (chunk ^ (row % kChunks)) * kChunk;
}

// Rows first .. first + 127, columns k .. k + 63. Aligned: rows are whole chunks, and arrive asynchronously.
template <bool kAligned>
__device__ __forceinline__ void load_stage(bf16* tile, const TiledMatrix<bf16>& from, int64_t first,
                                           int64_t k, int64_t K) {
  const int chunk = static_cast<int>(threadIdx.x) % kChunks;
  const int64_t column = k + chunk * kChunk;
#pragma unroll
  for (int i = 0; i < kTile * kChunks / kTiledThreads; ++i) {
    const int row = static_cast<int>(threadIdx.x) / kChunks + i * (kTiledThreads / kChunks);
    const bool there = first + row < from.rows && column < K;
    const bf16* const source = from.data + (there ? (first + row) * from.stride + column : 0);
    bf16* const target = chunk_of(tile, row, chunk);
    if constexpr (kAligned) {
      copy_async_16(target, source, there);
    } else {
      for (int j = 0; j < kChunk; ++j)
        target[j] = there && column + j < K ? source[j] : from_float<bf16>(0.0f);
    }
  }
}

// sums += the warp's 64 rows of a times its 32 rows of b, over one stage.
__device__ __forceinline__ void multiply_stage(bf16* a_tile, bf16* b_tile, float (&sums)[4][4][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int a_row = warp / 4 * kWarpM + lane % 16, b_row = warp % 4 * kWarpN + lane % 8 + lane / 16 * 8;
#pragma unroll 1  // the next operands would need registers that a second block on the SM uses better
  for (int chunk = 0; chunk < kChunks; chunk += 2) {  // 16 columns of K
    uint32_t a[4][4], b[2][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) load_matrix_x4(a[i], chunk_of(a_tile, a_row + 16 * i, chunk + lane / 16));
#pragma unroll
    for (int j = 0; j < 2; ++j) load_matrix_x4(b[j], chunk_of(b_tile, b_row + 16 * j, chunk + lane / 8 % 2));
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const uint32_t columns[2] = {b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]};
        mma_16x8x16(sums[i][j], a[i], columns, sums[i][j]);
      }
    }
  }
}

// Two neighbours of a row of C: at once where C allows it.
__device__ __forceinline__ void store_pair(const TiledArgs<bf16>& args, int64_t row, int64_t column, float x,
                                           float y) {
  if (row >= args.a.rows || column >= args.b.rows) return;
  bf16* const to = args.c + row * args.c_stride + column;
  if (args.aligned_c && column + 1 < args.b.rows) {
    *reinterpret_cast<uint32_t*>(to) = pack_bf16x2(x, y);
  } else {
    to[0] = from_float<bf16>(x);
    if (column + 1 < args.b.rows) to[1] = from_float<bf16>(y);
  }
}

template <bool kAligned>
__global__ void __launch_bounds__(kTiledThreads, kAligned ? 2 : 1) matmul_tiled_bf16(TiledArgs<bf16> args) {
  XF_DYNAMIC_SHARED(bytes);
  bf16* const tiles = reinterpret_cast<bf16*>(bytes);
  const int64_t first_row = static_cast<int64_t>(blockIdx.x) * kTile,
                first_column = static_cast<int64_t>(blockIdx.y) * kTile;
  const auto load = [&](int64_t k) {
    bf16* const stage = tiles + k / kStage % 2 * (2 * kTileElements);
    load_stage<kAligned>(stage, args.a, first_row, k, args.K);
    load_stage<kAligned>(stage + kTileElements, args.b, first_column, k, args.K);
    if constexpr (kAligned) copy_async_commit();
  };
  float sums[4][4][4] = {};
  if (args.K > 0) load(0);
  for (int64_t k = 0; k < args.K; k += kStage) {
    if constexpr (kAligned) copy_async_wait<0>();
    __syncthreads();
    if (k + kStage < args.K) load(k + kStage);
    bf16* const stage = tiles + k / kStage % 2 * (2 * kTileElements);
    multiply_stage(stage, stage + kTileElements, sums);
  }
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int64_t row = first_row + warp / 4 * kWarpM + lane / 4;
  const int64_t column = first_column + warp % 4 * kWarpN + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      store_pair(args, row + 16 * i, column + 8 * j, sums[i][j][0], sums[i][j][1]);
      store_pair(args, row + 16 * i + 8, column + 8 * j, sums[i][j][2], sums[i][j][3]);
    }
  }
}

}  // namespace

template <>
void matmul_tiled(const MatmulArgs<bf16>& args) {
  const bool pairs = reinterpret_cast<uintptr_t>(args.c) % 4 == 0 && args.c_stride % 2 == 0;
  launch_tiled(args, matmul_tiled_bf16<true>, matmul_tiled_bf16<false>, kSharedBytes, pairs);
}

}  // namespace xf::kernels
