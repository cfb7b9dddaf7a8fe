// The backward pass of layer_norm_row.cuh: dx (LN5, with the residual RN1), ds (RN2), dgamma (LN2)
// and dbeta (LN1).
//
// Column sums in an order that N alone decides: the rows are cut into at most 512 runs of at least
// 16 rows, a block takes a run and adds up its rows, and a second kernel adds the blocks' partial
// sums (rows.cuh). 16 rows keep the partial sums to a fraction of what is read; with 8, or 4, both
// kernels took longer on an H200.
//   up to 1024 columns  a warp per row of the run, eight at a time; x, dy and dsum of a row and the
//   sums of all
//                       its rows in registers; the eight warps' sums meet in shared memory
//   longer rows         the block first adds up its columns, a pack to a thread, and then goes
//                       through its rows;
//                       a thread reads in the first pass what it reads and writes in the second, so
//                       dx may be dy
// Bytes per row of D, e to an element: 3De; with the residual 5De, or 4De without dsum.
#pragma once

#include <algorithm>

#include "kernels/cuda/layer_norm_row.cuh"
#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

constexpr int64_t kMostRuns = 512, kShortestRun = 16;
constexpr int kBackwardWarps = 8, kBackwardThreads = 32 * kBackwardWarps;

// dx = rstd * (g - <g> - xhat * <g * xhat>) + dsum, ds = dropout(dx), from packs of xhat, g and
// dsum.
struct MeansOfRow {
  float rstd, g, g_xhat;
};
template <bool kResidual, typename T, typename Alignment>
__device__ __forceinline__ void store_gradients(const LayerNormBackwardArgs<T>& args, int64_t n,
                                                int64_t column, Alignment alignment, const MeansOfRow& row,
                                                const cuda::Vec16<T>& xhat, cuda::Vec16<T> g,
                                                const cuda::Vec16<T>& dsum) {
  const int64_t left = args.D - column, at = n * args.D + column;
#pragma unroll
  for (int i = 0; i < g.kCount; ++i) {
    const float inner = fmaf(-xhat.x[i], row.g_xhat, g.x[i] - row.g);
    g.x[i] = kResidual && args.dsum ? fmaf(row.rstd, inner, dsum.x[i]) : row.rstd * inner;
  }
  g.store(args.dx + at, left, alignment);
  if constexpr (kResidual) {
    drop(args.dropout, n, column, g);
    g.store(args.ds + at, left, alignment);
  }
}

// x <- xhat, dy <- g, and what they add to the means and, in a warp per row, to the columns.
template <typename T>
__device__ __forceinline__ void centre(float mean, float rstd, const cuda::Vec16<T>& gamma, cuda::Vec16<T>& x,
                                       cuda::Vec16<T>& dy, float& g_sum, float& g_xhat_sum) {
#pragma unroll
  for (int i = 0; i < x.kCount; ++i) {
    x.x[i] = (x.x[i] - mean) * rstd;
    dy.x[i] = cuda::product(dy.x[i], gamma.x[i]);
    g_sum += dy.x[i];
    g_xhat_sum = fmaf(dy.x[i], x.x[i], g_xhat_sum);
  }
}

// sums: dgamma and dbeta of some columns.
template <typename T>
__device__ __forceinline__ void add_row(float mean, float rstd, const cuda::Vec16<T>& x,
                                        const cuda::Vec16<T>& dy, cuda::Vec16<T>& dgamma,
                                        cuda::Vec16<T>& dbeta) {
#pragma unroll
  for (int i = 0; i < x.kCount; ++i) {
    dgamma.x[i] = fmaf(dy.x[i], (x.x[i] - mean) * rstd, dgamma.x[i]);
    dbeta.x[i] += dy.x[i];
  }
}

// Columns of a lane up to which two blocks share a multiprocessor's registers; wider rows need more
// of them.
constexpr int kColumnsForTwoBlocks = 16;

template <typename T, int kPacks, bool kResidual, typename Alignment>
__global__ void __launch_bounds__(kBackwardThreads,
                                  kPacks* cuda::Vec16<T>::kCount <= kColumnsForTwoBlocks ? 2 : 1)
    normalise_backward_warp_per_row(const LayerNormBackwardArgs<T> args, const Alignment alignment,
                                    const int64_t run, float* const partials) {
  using Vec16 = cuda::Vec16<T>;
  XF_DYNAMIC_SHARED(shared);
  const int64_t D = args.D, last = min(args.N, (int64_t{blockIdx.x} + 1) * run);
  Vec16 dgamma[kPacks] = {}, dbeta[kPacks] = {};
  for (int64_t n = blockIdx.x * run + threadIdx.x / 32; n < last; n += kBackwardWarps) {
    Vec16 x[kPacks], dy[kPacks], dsum[kPacks] = {};
    load_row(args.x + n * D, D, alignment, x);
    load_row(args.dy + n * D, D, alignment, dy);
    if (kResidual && args.dsum) load_row(args.dsum + n * D, D, alignment, dsum);
    const float mean = args.mean[n], rstd = args.rstd[n];
    float g_sum = 0, g_xhat_sum = 0;
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int64_t column = column_of_pack<T>(k);
      add_row(mean, rstd, x[k], dy[k], dgamma[k], dbeta[k]);
      centre(mean, rstd, Vec16::load(args.gamma + column, D - column, alignment), x[k], dy[k], g_sum,
             g_xhat_sum);
    }
    const MeansOfRow row{rstd, cuda::warp_sum(g_sum) / static_cast<float>(D),
                         cuda::warp_sum(g_xhat_sum) / static_cast<float>(D)};
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      store_gradients<kResidual>(args, n, column_of_pack<T>(k), alignment, row, x[k], dy[k], dsum[k]);
    }
  }
  // [warps, 2, D]
  float* const sums = reinterpret_cast<float*>(shared);
  float* const own = sums + threadIdx.x / 32 * 2 * D;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
#pragma unroll
    for (int i = 0; i < Vec16::kCount; ++i) {
      const int64_t column = column_of_pack<T>(k) + i;
      if (column >= D) continue;
      own[column] = dgamma[k].x[i];
      own[D + column] = dbeta[k].x[i];
    }
  }
  __syncthreads();
  for (int64_t i = threadIdx.x; i < 2 * D; i += kBackwardThreads) {
    float sum = sums[i];
#pragma unroll
    for (int warp = 1; warp < kBackwardWarps; ++warp) sum += sums[warp * 2 * D + i];
    const int64_t which = i / D;
    partials[(which * gridDim.x + blockIdx.x) * D + i - which * D] = sum;
  }
}

template <typename T, bool kResidual, typename Alignment>
__global__ void __launch_bounds__(kLongNormThreads)
    normalise_backward_block_per_row(const LayerNormBackwardArgs<T> args, const Alignment alignment,
                                     const int64_t run, float* const partials) {
  using Vec16 = cuda::Vec16<T>;
  constexpr int64_t kStep = kLongNormThreads * Vec16::kCount;
  const int64_t D = args.D, first = int64_t{threadIdx.x} * Vec16::kCount;
  const int64_t begin = blockIdx.x * run, last = min(args.N, begin + run);
  for (int64_t column = first; column < D; column += kStep) {
    Vec16 dgamma = {}, dbeta = {};
    for (int64_t n = begin; n < last; ++n) {
      const Vec16 x = Vec16::load(args.x + n * D + column, D - column, alignment);
      const Vec16 dy = Vec16::load(args.dy + n * D + column, D - column, alignment);
      add_row(args.mean[n], args.rstd[n], x, dy, dgamma, dbeta);
    }
#pragma unroll
    for (int i = 0; i < Vec16::kCount; ++i) {
      if (column + i >= D) continue;
      partials[blockIdx.x * D + column + i] = dgamma.x[i];
      partials[(int64_t{gridDim.x} + blockIdx.x) * D + column + i] = dbeta.x[i];
    }
  }
  for (int64_t n = begin; n < last; ++n) {
    const float mean = args.mean[n], rstd = args.rstd[n];
    float g_sum = 0, g_xhat_sum = 0;
    const auto load = [&](int64_t column, Vec16& x, Vec16& dy) {
      x = Vec16::load(args.x + n * D + column, D - column, alignment);
      dy = Vec16::load(args.dy + n * D + column, D - column, alignment);
      centre(mean, rstd, Vec16::load(args.gamma + column, D - column, alignment), x, dy, g_sum, g_xhat_sum);
    };
    Vec16 x, dy, dsum;
    for (int64_t column = first; column < D; column += kStep) load(column, x, dy);
    const MeansOfRow row{rstd, cuda::block_sum<kLongNormThreads>(g_sum) / static_cast<float>(D),
                         cuda::block_sum<kLongNormThreads>(g_xhat_sum) / static_cast<float>(D)};
    for (int64_t column = first; column < D; column += kStep) {
      load(column, x, dy);
      if (kResidual && args.dsum) dsum = Vec16::load(args.dsum + n * D + column, D - column, alignment);
      store_gradients<kResidual>(args, n, column, alignment, row, x, dy, dsum);
    }
  }
}

// kResidual false: dsum, ds and dropout are not looked at.
template <bool kResidual, typename T>
void normalise_rows_backward(const LayerNormBackwardArgs<T>& args) {
  const bool all = all_aligned(args.D, args.dy, args.dsum, args.x, args.gamma, args.dx, args.ds);
  const auto quotient = [](int64_t n, int64_t size) { return (n + size - 1) / size; };
  const int64_t run =
      kBackwardWarps * quotient(std::max(quotient(args.N, kMostRuns), kShortestRun), kBackwardWarps);
  const auto runs = static_cast<unsigned>(quotient(args.N, run));
  const int64_t bytes = 2 * args.D * static_cast<int64_t>(sizeof(float));  // of a run's sums
  auto* const partials = static_cast<float*>(cuda::workspace(runs * bytes));
  cuda::dispatch_alignment(all, [&](auto alignment) {
    using Alignment = decltype(alignment);
    if (args.D > kLongestNormInRegisters) {
      cuda::launch(normalise_backward_block_per_row<T, kResidual, Alignment>, runs, kLongNormThreads, 0,
                   cuda::stream(), args, alignment, run, partials);
      return;
    }
    with_packs<T>(args.D, [&](auto packs) {
      cuda::launch(normalise_backward_warp_per_row<T, packs(), kResidual, Alignment>, runs, kBackwardThreads,
                   static_cast<size_t>(kBackwardWarps * bytes), cuda::stream(), args, alignment, run,
                   partials);
    });
  });
  const auto grid = dim3(static_cast<unsigned>(quotient(args.D, 32)), 2);
  cuda::launch(sum_partials<16>, grid, 16 * 32, 0, cuda::stream(), int64_t{runs}, args.D, partials,
               args.dgamma, args.dbeta);
}

}  // namespace xf::kernels
