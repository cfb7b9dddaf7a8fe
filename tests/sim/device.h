// CUDA's names inside kernels: qualifiers, indices, barriers, shuffles, votes. The rest: atomics.h,
// intrinsics.h.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>  // libstdc++ has an attribute of the name of CUDA's __noinline__, which is a
                   // macro below

#include "tests/sim/atomics.h"
#include "tests/sim/block.h"
#include "tests/sim/intrinsics.h"
#include "tests/sim/shared_memory.h"
#include "tests/sim/shuffle.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __restrict__ __restrict
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))

#define threadIdx (::xf::sim::current->index)
#define blockIdx (::xf::sim::block_index)
#define blockDim (::xf::sim::block_size)
#define gridDim (::xf::sim::grid_size)
#define warpSize 32

inline void __syncthreads(XF_SIM_SITE) {
  if (!xf::sim::left_out("__syncthreads", site)) xf::sim::block().barrier("__syncthreads", site);
}
inline int __syncthreads_or(int predicate, XF_SIM_SITE) {
  return xf::sim::block().count_at_barrier("__syncthreads_or", predicate != 0, site) > 0;
}
inline int __syncthreads_and(int predicate, XF_SIM_SITE) {
  const auto threads = static_cast<int>(xf::sim::block().threads());
  return xf::sim::block().count_at_barrier("__syncthreads_and", predicate != 0, site) == threads;
}
inline int __syncthreads_count(int predicate, XF_SIM_SITE) {
  return xf::sim::block().count_at_barrier("__syncthreads_count", predicate != 0, site);
}
inline void __syncwarp(unsigned mask = 0xffffffffu, XF_SIM_SITE) {
  if (!xf::sim::left_out("__syncwarp", site)) xf::sim::sync_warp(mask, site);
}

template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, XF_SIM_SITE) {
  const int lane = static_cast<int>(xf::sim::current->lane), base = lane & ~(width - 1);
  return xf::sim::shuffle("__shfl_sync", mask, value, base | (source & (width - 1)), site);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, XF_SIM_SITE) {
  const int lane = static_cast<int>(xf::sim::current->lane), base = lane & ~(width - 1), from = lane ^ bits;
  return xf::sim::shuffle("__shfl_xor_sync", mask, value, from < base + width ? from : lane, site);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, XF_SIM_SITE) {
  const int lane = static_cast<int>(xf::sim::current->lane), base = lane & ~(width - 1);
  const int from = lane + static_cast<int>(delta);
  return xf::sim::shuffle("__shfl_down_sync", mask, value, from < base + width ? from : lane, site);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, XF_SIM_SITE) {
  const int lane = static_cast<int>(xf::sim::current->lane), base = lane & ~(width - 1);
  const int from = lane - static_cast<int>(delta);
  return xf::sim::shuffle("__shfl_up_sync", mask, value, from >= base ? from : lane, site);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, XF_SIM_SITE) {
  return xf::sim::ballot("__ballot_sync", mask, predicate != 0, site);
}
inline int __any_sync(unsigned mask, int predicate, XF_SIM_SITE) {
  return xf::sim::ballot("__any_sync", mask, predicate != 0, site) != 0;
}
inline int __all_sync(unsigned mask, int predicate, XF_SIM_SITE) {
  return xf::sim::ballot("__all_sync", mask, predicate != 0, site) == mask;
}
