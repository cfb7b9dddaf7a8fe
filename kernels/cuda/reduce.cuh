// Reductions over a warp and over a block, in one order everywhere: the same bits on every run and
// in every thread.
#pragma once

#include "kernels/cuda/portable.cuh"

namespace xf::cuda {

struct Sum {
  template <typename T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct Max {
  template <typename T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};

// Over the 32 lanes, result in each: lane i combines with lane i ^ 16, i ^ 8, ... i ^ 1. Sum and
// Max do not care for the order of their two arguments, so all lanes end with the same bits (of
// Max: where no lane has a NaN).
template <typename T, typename Op>
__device__ __forceinline__ T warp_reduce(T value, Op op, [[maybe_unused]] Site site = XF_HERE) {
#if defined(__CUDACC__)
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value = op(value, __shfl_xor_sync(kFullWarp, value, offset));
  return value;
#else
  return sim::butterfly(value, op, site);  // the same operations, in one meeting of the lanes
                                           // instead of five
#endif
}

template <typename T>
__device__ __forceinline__ T warp_sum(T value, Site site = XF_HERE) {
  return warp_reduce(value, Sum{}, site);
}

template <typename T>
__device__ __forceinline__ T warp_max(T value, Site site = XF_HERE) {
  return warp_reduce(value, Max{}, site);
}

// Over a block of kThreads, result in each: each warp, then the warps' results in their order. All
// threads call it.
template <int kThreads, typename T, typename Op>
__device__ __forceinline__ T block_reduce(T value, Op op, Site site = XF_HERE) {
  static_assert(kThreads % 32 == 0);
  constexpr int kWarps = kThreads / 32;
  value = warp_reduce(value, op, site);
  if constexpr (kWarps > 1) {
    XF_SHARED(T[kWarps], partial);
    __syncthreads();  // the previous reduction's partial results have been read
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = partial[0];
#pragma unroll
    for (int warp = 1; warp < kWarps; ++warp) value = op(value, partial[warp]);
  }
  return value;
}

template <int kThreads, typename T>
__device__ __forceinline__ T block_sum(T value, Site site = XF_HERE) {
  return block_reduce<kThreads>(value, Sum{}, site);
}

template <int kThreads, typename T>
__device__ __forceinline__ T block_max(T value, Site site = XF_HERE) {
  return block_reduce<kThreads>(value, Max{}, site);
}

}  // namespace xf::cuda
