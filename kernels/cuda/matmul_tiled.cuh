// What the two kernels of matmul_tiled.h share: the plan, and its launch.
//
// Computed element by element, each of the M N sums reads 2 K elements from memory: one FLOP per element,
// where the arithmetic units could do hundreds. So data is used again at every level on its way in.
//
// Memory and L2. A block of 256 threads makes a 128 x 128 tile of C, walking along K in stages. In a stage it
// loads a slice of 128 rows of A and one of 128 rows of B, and uses each element 128 times.
//
// Shared memory. It holds two stages: while one is multiplied, the next is on its way.
//
// Registers. A warp (bf16) or a thread (f32) makes a rectangle of the tile, and uses what it reads from
// shared memory as often as the rectangle is wide or high.
//
// One __syncthreads per stage is enough. After it, the stage that everyone waited for is there for all
// threads, and everyone has finished with the stage before, whose place the next load takes. That load is
// started right after the barrier and waited for right before the next one, so it has a whole multiplication
// to arrive.
//
// Blocks with neighbouring blockIdx.x share their slice of B: what one has brought into L2, the others find
// there. Memory then sees little more than A, B and C once.
//
// Edges: rows past M or N and columns past K are read as zeros, which add nothing, and are not written. Where
// rows do not begin at multiples of 16 bytes (kAligned is false), elements are loaded one by one.
//
// Two blocks fit on an SM: 2 x 256 threads of at most 128 registers use all of them, and one block multiplies
// while the other waits. The element-by-element kernels need more registers and have no speed to lose.
#pragma once

#include "core/cuda.h"
#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/matmul_tiled.h"
#include "kernels/cuda/portable.cuh"

namespace xf::kernels {

constexpr int kTiledThreads = 256;
constexpr int kTile = 128;  // rows and columns of C per block

// A row-major matrix of which a block loads 128 rows at a time.
template <typename T>
struct TiledMatrix {
  const T* data;
  int64_t rows, stride;
};

template <typename T>
struct TiledArgs {
  TiledMatrix<T> a, b;
  T* c;
  int64_t K, c_stride;
  bool aligned_c;  // stores of the kernel's width fit
};

template <typename T>
void launch_tiled(const MatmulArgs<T>& args, void (*aligned_kernel)(TiledArgs<T>),
                  void (*kernel)(TiledArgs<T>), size_t shared_bytes, bool aligned_c) {
  XF_CHECK(args.transpose_b && !args.transpose_a && !args.accumulate,
           "matmul_tiled: only C = A B^T, written; kernels/matmul.h has all others");
  const bool aligned = cuda::rows_are_aligned(args.a, args.a_stride) && args.K % cuda::Pack<T>::kCount == 0 &&
                       cuda::rows_are_aligned(args.b, args.b_stride);
  const auto tiles = [](int64_t rows) { return static_cast<unsigned>((rows + kTile - 1) / kTile); };
  cuda::launch(aligned ? aligned_kernel : kernel, dim3(tiles(args.M), tiles(args.N)), dim3(kTiledThreads),
               shared_bytes, cuda::stream(),
               TiledArgs<T>{.a = {args.a, args.M, args.a_stride},
                            .b = {args.b, args.N, args.b_stride},
                            .c = args.c,
                            .K = args.K,
                            .c_stride = args.c_stride,
                            .aligned_c = aligned_c});
}

}  // namespace xf::kernels
