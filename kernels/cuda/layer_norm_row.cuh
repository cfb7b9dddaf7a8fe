// Layer normalisation of rows, forward, with and without the residual connection in front of it:
// layer_norm is residual_norm without s (docs/derivations/layer_norm.md), so both ops give the same
// bits.
//   up to 1024 columns  a warp per row, pack k of 16 bytes in lane k % 32, the row in registers
//   from its one
//                       read to its one write; four rows to a block, few enough that a block of
//                       finished rows makes room for the next
//   longer rows         a block per row, which is read again for each pass; from the second one on
//                       it comes
//                       out of the cache
// Bytes per row of D, e to an element: 2De; with the residual 4De. Each thread writes the elements
// that it read, after it read them: y may be x, and sum may be s.
#pragma once

#include <type_traits>

#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/rows.cuh"
#include "kernels/layer_norm.h"

namespace xf::kernels {

constexpr int kNormWarps = 4;  // of a block: rows that it works on at a time
constexpr int kNormThreads = 32 * kNormWarps;
constexpr int kLongNormThreads = 256;
constexpr int64_t kLongestNormInRegisters = 1024;

// Columns that a warp takes with one pack per lane.
template <typename T>
constexpr int kNormSpan = 32 * cuda::Vec16<T>::kCount;

// The packs of one lane: pack k begins at column k * kNormSpan + its place in the warp.
template <typename T>
__device__ __forceinline__ int64_t column_of_pack(int k) {
  return k * kNormSpan<T> + static_cast<int>(threadIdx.x % 32) * cuda::Vec16<T>::kCount;
}

// All loads start before the first of them is waited for. Beyond D: 0.
template <typename T, int kPacks, typename Alignment>
__device__ __forceinline__ void load_row(const T* row, int64_t D, Alignment alignment,
                                         cuda::Vec16<T> (&x)[kPacks]) {
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int64_t column = column_of_pack<T>(k);
    x[k] = cuda::Vec16<T>::load(row + column, D - column, alignment);
  }
}

// x <- x + dropout(s) (RN0), rounded as `sum` is, for the norm is that of the stored sum.
template <typename T>
__device__ __forceinline__ void add_dropped(const DropoutArgs& dropout, int64_t n, int64_t column,
                                            cuda::Vec16<T> s, cuda::Vec16<T>& x) {
  drop(dropout, n, column, s);
#pragma unroll
  for (int i = 0; i < x.kCount; ++i) x.x[i] = cuda::to_float(cuda::from_float<T>(x.x[i] + s.x[i]));
}

template <typename T>
__device__ __forceinline__ float sum_of(const cuda::Vec16<T>& x) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < x.kCount; ++i) sum += x.x[i];
  return sum;
}

// sum (x - mean)^2 over the first `left` elements.
template <typename T>
__device__ __forceinline__ float squares_of(const cuda::Vec16<T>& x, int64_t left, float mean) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < x.kCount; ++i) {
    const float d = i < left ? x.x[i] - mean : 0.0f;
    sum = fmaf(d, d, sum);
  }
  return sum;
}

// y = gamma * xhat + beta, a pack of it (LN0).
template <typename T, typename Alignment>
__device__ __forceinline__ void store_normalised(const LayerNormForwardArgs<T>& args, int64_t n,
                                                 int64_t column, Alignment alignment, float mean, float rstd,
                                                 cuda::Vec16<T> x) {
  using Vec16 = cuda::Vec16<T>;
  const int64_t left = args.D - column;
  const Vec16 gamma = Vec16::load(args.gamma + column, left, alignment);
  const Vec16 beta = Vec16::load(args.beta + column, left, alignment);
#pragma unroll
  for (int i = 0; i < Vec16::kCount; ++i) x.x[i] = fmaf(gamma.x[i], (x.x[i] - mean) * rstd, beta.x[i]);
  x.store(args.y + n * args.D + column, left, alignment);
}

// Blocks that share a multiprocessor's registers: so many that their loads keep its memory busy, so
// few that a row's packs stay in registers.
template <typename T, int kPacks>
constexpr int kNormBlocks = kPacks* cuda::Vec16<T>::kCount <= 16 ? 8 : 4;

template <typename T, int kPacks, bool kResidual, typename Alignment>
__global__ void __launch_bounds__(kNormThreads, kNormBlocks<T, kPacks>)
    normalise_warp_per_row(const LayerNormForwardArgs<T> args, const Alignment alignment) {
  const int64_t n = int64_t{blockIdx.x} * kNormWarps + threadIdx.x / 32;
  if (n >= args.N) return;
  const int64_t D = args.D;
  cuda::Vec16<T> x[kPacks];
  load_row(args.x + n * D, D, alignment, x);
  if constexpr (kResidual) {
    cuda::Vec16<T> s[kPacks];
    load_row(args.s + n * D, D, alignment, s);
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int64_t column = column_of_pack<T>(k);
      add_dropped(args.dropout, n, column, s[k], x[k]);
      x[k].store(args.sum + n * D + column, D - column, alignment);
    }
  }
  float sum = 0, squares = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) sum += sum_of(x[k]);
  const float mean = cuda::warp_sum(sum) / static_cast<float>(D);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) squares += squares_of(x[k], D - column_of_pack<T>(k), mean);
  const float rstd = rstd_of(cuda::warp_sum(squares), D, args.eps);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    store_normalised(args, n, column_of_pack<T>(k), alignment, mean, rstd, x[k]);
  }
  if (threadIdx.x % 32 == 0) {
    args.mean[n] = mean;
    args.rstd[n] = rstd;
  }
}

template <typename T, bool kResidual, typename Alignment>
__global__ void __launch_bounds__(kLongNormThreads)
    normalise_block_per_row(const LayerNormForwardArgs<T> args, const Alignment alignment) {
  using Vec16 = cuda::Vec16<T>;
  constexpr int64_t kStep = kLongNormThreads * Vec16::kCount;
  const int64_t n = blockIdx.x, D = args.D, first = int64_t{threadIdx.x} * Vec16::kCount;
  const T* const row = (kResidual ? args.sum : args.x) + n * D;
  float sum = 0, squares = 0;
  for (int64_t column = first; column < D; column += kStep) {
    Vec16 x = Vec16::load(args.x + n * D + column, D - column, alignment);
    if constexpr (kResidual) {
      const Vec16 s = Vec16::load(args.s + n * D + column, D - column, alignment);
      add_dropped(args.dropout, n, column, s, x);
      x.store(args.sum + n * D + column, D - column, alignment);
    }
    sum += sum_of(x);
  }
  const float mean = cuda::block_sum<kLongNormThreads>(sum) / static_cast<float>(D);
  for (int64_t column = first; column < D; column += kStep) {
    squares += squares_of(Vec16::load(row + column, D - column, alignment), D - column, mean);
  }
  const float rstd = rstd_of(cuda::block_sum<kLongNormThreads>(squares), D, args.eps);
  for (int64_t column = first; column < D; column += kStep) {
    store_normalised(args, n, column, alignment, mean, rstd,
                     Vec16::load(row + column, D - column, alignment));
  }
  if (threadIdx.x == 0) {
    args.mean[n] = mean;
    args.rstd[n] = rstd;
  }
}

// f(std::integral_constant<int, kPacks>()) with the fewest packs per lane that hold a row of D.
template <typename T, typename F>
void with_packs(int64_t D, const F& f) {
  if (D <= kNormSpan<T>) return f(std::integral_constant<int, 1>());
  if (D <= 2 * kNormSpan<T>) return f(std::integral_constant<int, 2>());
  if (D <= 4 * kNormSpan<T>) return f(std::integral_constant<int, 4>());
  if constexpr (4 * kNormSpan<T> < kLongestNormInRegisters) f(std::integral_constant<int, 8>());
}

// kResidual false: x is normalised itself; s, sum and dropout are not looked at.
template <bool kResidual, typename T>
void normalise_rows(const LayerNormForwardArgs<T>& args) {
  const bool all = all_aligned(args.D, args.x, args.s, args.gamma, args.beta, args.sum, args.y);
  cuda::dispatch_alignment(all, [&](auto alignment) {
    using Alignment = decltype(alignment);
    if (args.D > kLongestNormInRegisters) {
      cuda::launch(normalise_block_per_row<T, kResidual, Alignment>, static_cast<unsigned>(args.N),
                   kLongNormThreads, 0, cuda::stream(), args, alignment);
      return;
    }
    const auto blocks = static_cast<unsigned>((args.N + kNormWarps - 1) / kNormWarps);
    with_packs<T>(args.D, [&](auto packs) {
      cuda::launch(normalise_warp_per_row<T, packs(), kResidual, Alignment>, blocks, kNormThreads, 0,
                   cuda::stream(), args, alignment);
    });
  });
}

}  // namespace xf::kernels
