// Masked softmax on CUDA. A row is read and written once: 2 * sizeof(T) bytes per score, and 4 of a
// mask.
//   up to 1024 keys   a warp per row, key j in lane j % 32, the row in registers; four rows to a
//                     block, few
//                     enough that a block of finished rows makes room for the next
//   longer rows       a block per row, which is read again for each pass; from the second one on it
//                     comes out
//                     of the cache
// Each thread writes the elements that it read, and only after the whole row was read: p may be s.
#include "kernels/softmax.h"

#include <limits>

#include "core/cuda.h"
#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/reduce.cuh"

namespace xf::kernels {

namespace {

using cuda::from_float;
using cuda::to_float;

constexpr int kRowsPerBlock = 4;
constexpr int kHeldRowThreads = 32 * kRowsPerBlock;
constexpr int kWalkedRowThreads = 256;
constexpr int64_t kLongestInRegisters = 1024;

// Of warps that hold a row each.
unsigned blocks_of_held(int64_t rows) {
  return static_cast<unsigned>((rows + kRowsPerBlock - 1) / kRowsPerBlock);
}

constexpr float kMasked = -std::numeric_limits<float>::infinity();

// The keys that a row may attend.
struct Keys {
  int64_t visible;      // no key from here on
  const int32_t* mask;  // of the row; nullptr: all ones

  template <typename T>
  __device__ __forceinline__ Keys(const SoftmaxForwardArgs<T>& args, int64_t row) {
    const int64_t b = row / (args.H * args.Sq), i = row % args.Sq;
    visible = args.lengths ? min(int64_t{max(args.lengths[b], 0)}, args.Sk) : args.Sk;
    if (args.causal) visible = min(visible, i + 1);
    mask = args.mask ? args.mask + (b * args.Sq + i) * args.Sk : nullptr;
  }

  template <typename T>
  __device__ __forceinline__ float score(const T* s, int64_t j) const {
    return j < visible && (!mask || mask[j] != 0) ? to_float(s[j]) : kMasked;
  }
};

// What SM1 subtracts. A row without a key has no maximum, and the sum of its exponentials is 0; so
// has a row of NaN, but its sum is NaN and stays visible.
__device__ __forceinline__ float shift_of(float maximum) { return maximum == kMasked ? 0.0f : maximum; }
__device__ __forceinline__ float inverse_of(float sum) { return sum == 0.0f ? 0.0f : 1.0f / sum; }

template <typename T, int kPerLane>
__global__ void __launch_bounds__(kHeldRowThreads)
    softmax_forward_warp_per_row(const SoftmaxForwardArgs<T> args, const int64_t rows) {
  const int64_t row = int64_t{blockIdx.x} * kRowsPerBlock + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const Keys keys(args, row);
  const T* const s = args.s + row * args.Sk;
  T* const p = args.p + row * args.Sk;
  float e[kPerLane];
  float maximum = kMasked;
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) e[k] = keys.score(s, lane + 32 * k);
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) maximum = fmaxf(maximum, e[k]);
  const float shift = shift_of(cuda::warp_max(maximum));
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) {
    e[k] = expf(e[k] - shift);
    sum += e[k];
  }
  const float inverse = inverse_of(cuda::warp_sum(sum));
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) {
    const int j = lane + 32 * k;
    if (j < args.Sk) p[j] = from_float<T>(e[k] * inverse);
  }
}

template <typename T>
__global__ void __launch_bounds__(kWalkedRowThreads)
    softmax_forward_block_per_row(const SoftmaxForwardArgs<T> args) {
  const int64_t row = blockIdx.x;
  const Keys keys(args, row);
  const T* const s = args.s + row * args.Sk;
  T* const p = args.p + row * args.Sk;
  float maximum = kMasked;
  for (int64_t j = threadIdx.x; j < keys.visible; j += kWalkedRowThreads) {
    maximum = fmaxf(maximum, keys.score(s, j));
  }
  const float shift = shift_of(cuda::block_max<kWalkedRowThreads>(maximum));
  float sum = 0;
  for (int64_t j = threadIdx.x; j < keys.visible; j += kWalkedRowThreads)
    sum += expf(keys.score(s, j) - shift);
  const float inverse = inverse_of(cuda::block_sum<kWalkedRowThreads>(sum));
  for (int64_t j = threadIdx.x; j < args.Sk; j += kWalkedRowThreads) {
    p[j] = from_float<T>(expf(keys.score(s, j) - shift) * inverse);
  }
}

template <typename T, int kPerLane>
__global__ void __launch_bounds__(kHeldRowThreads)
    softmax_backward_warp_per_row(const SoftmaxBackwardArgs<T> args) {
  const int64_t row = int64_t{blockIdx.x} * kRowsPerBlock + threadIdx.x / 32;
  if (row >= args.N) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const T *const dp_row = args.dp + row * args.D, *const p_row = args.p + row * args.D;
  T* const ds = args.ds + row * args.D;
  float dp[kPerLane], p[kPerLane];
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) {
    const int j = lane + 32 * k;
    p[k] = j < args.D ? to_float(p_row[j]) : 0.0f;
    dp[k] = j < args.D ? to_float(dp_row[j]) : 0.0f;
  }
  float delta = 0;  // SM3
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) delta += p[k] * dp[k];
  delta = cuda::warp_sum(delta);
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) {
    const int j = lane + 32 * k;
    if (j < args.D) ds[j] = from_float<T>(p[k] * (dp[k] - delta));
  }
}

template <typename T>
__global__ void __launch_bounds__(kWalkedRowThreads)
    softmax_backward_block_per_row(const SoftmaxBackwardArgs<T> args) {
  const int64_t row = blockIdx.x;
  const T *const dp = args.dp + row * args.D, *const p = args.p + row * args.D;
  T* const ds = args.ds + row * args.D;
  float delta = 0;
  for (int64_t j = threadIdx.x; j < args.D; j += kWalkedRowThreads) delta += to_float(p[j]) * to_float(dp[j]);
  delta = cuda::block_sum<kWalkedRowThreads>(delta);
  for (int64_t j = threadIdx.x; j < args.D; j += kWalkedRowThreads) {
    ds[j] = from_float<T>(to_float(p[j]) * (to_float(dp[j]) - delta));
  }
}

}  // namespace

template <typename T>
void softmax_forward(Cuda, const SoftmaxForwardArgs<T>& args) {
  const int64_t rows = args.B * args.H * args.Sq;
  const auto stream = cuda::stream();
  if (args.Sk > kLongestInRegisters) {
    cuda::launch(softmax_forward_block_per_row<T>, static_cast<unsigned>(rows), kWalkedRowThreads, 0, stream,
                 args);
    return;
  }
  const auto kernel = args.Sk <= 2 * 32   ? softmax_forward_warp_per_row<T, 2>
                      : args.Sk <= 8 * 32 ? softmax_forward_warp_per_row<T, 8>
                                          : softmax_forward_warp_per_row<T, 32>;
  cuda::launch(kernel, blocks_of_held(rows), kHeldRowThreads, 0, stream, args, rows);
}

template <typename T>
void softmax_backward(Cuda, const SoftmaxBackwardArgs<T>& args) {
  const auto stream = cuda::stream();
  if (args.D > kLongestInRegisters) {
    cuda::launch(softmax_backward_block_per_row<T>, static_cast<unsigned>(args.N), kWalkedRowThreads, 0,
                 stream, args);
    return;
  }
  const auto kernel = args.D <= 2 * 32   ? softmax_backward_warp_per_row<T, 2>
                      : args.D <= 8 * 32 ? softmax_backward_warp_per_row<T, 8>
                                         : softmax_backward_warp_per_row<T, 32>;
  cuda::launch(kernel, blocks_of_held(args.N), kHeldRowThreads, 0, stream, args);
}

XF_INSTANTIATE(softmax_forward, SoftmaxForwardArgs);
XF_INSTANTIATE(softmax_backward, SoftmaxBackwardArgs);

}  // namespace xf::kernels
