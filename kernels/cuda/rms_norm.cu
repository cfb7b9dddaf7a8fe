// Root-mean-square normalisation on CUDA, bound by memory. e bytes to an element, rows of D: forward 2De (more
// than kLongestInRegisters columns are read again, out of the cache), backward 3De for dx and 2De once more for
// dgamma, whose sums over the rows are those of column_sums.cuh.
//   up to 1024 columns  a warp per row, column i in lane i % 32, the row in registers; four rows to a block, few
//                       enough that a block of finished rows makes room for the next
//   longer rows         a block per row
// Each thread writes the elements that it read, after the whole row was read: y may be x, dx may be dy. dgamma is
// summed first, because dx may overwrite dy.
#include "kernels/rms_norm.h"

#include "core/cuda.h"
#include "kernels/cuda/column_sums.cuh"
#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/held_rows.cuh"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

namespace {

using cuda::from_float;
using cuda::to_float;

// Forward is RM0.
template <typename T>
__device__ __forceinline__ float rstd_of(const RmsNormForwardArgs<T>& args, float squares) {
  return 1.0f / sqrtf(squares / static_cast<float>(args.D) + args.eps);
}

template <typename T, int kPerLane>
__global__ void __launch_bounds__(kHeldRowThreads)
    rms_norm_forward_warp_per_row(const RmsNormForwardArgs<T> args) {
  const int64_t row = int64_t{blockIdx.x} * kRowsPerBlock + threadIdx.x / 32;
  if (row >= args.N) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const T* const x_row = args.x + row * args.D;
  float x[kPerLane];
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) x[k] = lane + 32 * k < args.D ? to_float(x_row[lane + 32 * k]) : 0.0f;
  float squares = 0;
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) squares += x[k] * x[k];
  const float rstd = rstd_of(args, cuda::warp_sum(squares));
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) {
    const int i = lane + 32 * k;
    if (i < args.D) args.y[row * args.D + i] = from_float<T>(to_float(args.gamma[i]) * (x[k] * rstd));
  }
  if (lane == 0) args.rstd[row] = rstd;
}

template <typename T>
__global__ void __launch_bounds__(kWalkedRowThreads)
    rms_norm_forward_block_per_row(const RmsNormForwardArgs<T> args) {
  const T* const x = args.x + int64_t{blockIdx.x} * args.D;
  float squares = 0;
  for (int64_t i = threadIdx.x; i < args.D; i += kWalkedRowThreads)
    squares += to_float(x[i]) * to_float(x[i]);
  const float rstd = rstd_of(args, cuda::block_sum<kWalkedRowThreads>(squares));
  for (int64_t i = threadIdx.x; i < args.D; i += kWalkedRowThreads) {
    args.y[int64_t{blockIdx.x} * args.D + i] =
        from_float<T>(to_float(args.gamma[i]) * (to_float(x[i]) * rstd));
  }
  if (threadIdx.x == 0) args.rstd[blockIdx.x] = rstd;
}

template <typename T, int kPerLane>
__global__ void __launch_bounds__(kHeldRowThreads)
    rms_norm_backward_warp_per_row(const RmsNormBackwardArgs<T> args) {
  const int64_t row = int64_t{blockIdx.x} * kRowsPerBlock + threadIdx.x / 32;
  if (row >= args.N) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const float rstd = args.rstd[row];
  float g[kPerLane], xhat[kPerLane];
  float g_xhat_sum = 0;
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) {
    const int i = lane + 32 * k;
    const bool inside = i < args.D;
    g[k] = inside ? to_float(args.dy[row * args.D + i]) * to_float(args.gamma[i]) : 0.0f;
    xhat[k] = inside ? to_float(args.x[row * args.D + i]) * rstd : 0.0f;
  }
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) g_xhat_sum += g[k] * xhat[k];
  // RM4
  const float g_xhat_mean = cuda::warp_sum(g_xhat_sum) / static_cast<float>(args.D);
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) {
    const int i = lane + 32 * k;
    if (i < args.D) args.dx[row * args.D + i] = from_float<T>(rstd * (g[k] - xhat[k] * g_xhat_mean));
  }
}

template <typename T>
__global__ void __launch_bounds__(kWalkedRowThreads)
    rms_norm_backward_block_per_row(const RmsNormBackwardArgs<T> args) {
  const int64_t row = blockIdx.x, first = row * args.D;
  const float rstd = args.rstd[row];
  const auto g = [&](int64_t i) { return to_float(args.dy[first + i]) * to_float(args.gamma[i]); };
  const auto xhat = [&](int64_t i) { return to_float(args.x[first + i]) * rstd; };
  float g_xhat_sum = 0;
  for (int64_t i = threadIdx.x; i < args.D; i += kWalkedRowThreads) g_xhat_sum += g(i) * xhat(i);
  const float g_xhat_mean = cuda::block_sum<kWalkedRowThreads>(g_xhat_sum) / static_cast<float>(args.D);
  for (int64_t i = threadIdx.x; i < args.D; i += kWalkedRowThreads) {
    args.dx[first + i] = from_float<T>(rstd * (g(i) - xhat(i) * g_xhat_mean));
  }
}

// The terms of dgamma (RM1).
template <typename T>
struct DyXhat {
  static constexpr int kUnrolled = 4;
  Matrix<const T> dy, x;
  const float* rstd;
  struct Read {
    cuda::Pack<T> dy, x;
    float rstd;
  };
  bool whole(int64_t width) const { return all_whole(width, dy, x); }
  template <typename Whole>
  __device__ Read read(int64_t row, int64_t column, int64_t left, Whole whole) const {
    return {dy.load(row, column, left, whole), x.load(row, column, left, whole), left > 0 ? rstd[row] : 0.0f};
  }
  template <typename Whole>
  __device__ cuda::Pack<T> terms(const Read& read, int64_t, int64_t, int64_t, Whole) const {
    auto terms = read.dy;
#pragma unroll
    for (int i = 0; i < terms.kCount; ++i) terms.x[i] = cuda::product(terms.x[i], read.x.x[i] * read.rstd);
    return terms;
  }
};

}  // namespace

template <typename T>
void rms_norm_forward(Cuda, const RmsNormForwardArgs<T>& args) {
  const auto stream = cuda::stream();
  if (args.D > kLongestInRegisters) {
    cuda::launch(rms_norm_forward_block_per_row<T>, static_cast<unsigned>(args.N), kWalkedRowThreads, 0,
                 stream, args);
    return;
  }
  const auto kernel =
      args.D <= 8 * 32 ? rms_norm_forward_warp_per_row<T, 8> : rms_norm_forward_warp_per_row<T, 32>;
  cuda::launch(kernel, blocks_of_held(args.N), kHeldRowThreads, 0, stream, args);
}

template <typename T>
void rms_norm_backward(Cuda, const RmsNormBackwardArgs<T>& args) {
  column_sums<T>(args.N, args.D, args.dgamma, DyXhat<T>{{args.dy, args.D}, {args.x, args.D}, args.rstd});
  const auto stream = cuda::stream();
  if (args.D > kLongestInRegisters) {
    cuda::launch(rms_norm_backward_block_per_row<T>, static_cast<unsigned>(args.N), kWalkedRowThreads, 0,
                 stream, args);
    return;
  }
  const auto kernel =
      args.D <= 8 * 32 ? rms_norm_backward_warp_per_row<T, 8> : rms_norm_backward_warp_per_row<T, 32>;
  cuda::launch(kernel, blocks_of_held(args.N), kHeldRowThreads, 0, stream, args);
}

template void rms_norm_forward(Cuda, const RmsNormForwardArgs<float>&);
template void rms_norm_forward(Cuda, const RmsNormForwardArgs<bf16>&);
template void rms_norm_backward(Cuda, const RmsNormBackwardArgs<float>&);
template void rms_norm_backward(Cuda, const RmsNormBackwardArgs<bf16>&);

}  // namespace xf::kernels
