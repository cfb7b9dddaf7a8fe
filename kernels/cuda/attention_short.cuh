// Attention of sentences of up to 64 keys: what forward and backward share. A block works one
// sentence and head (backward: key head, whose query heads take turns, so that all of a row of dk
// and dv is added up by one warp); q, k, v come to shared memory once, scores and probabilities
// stay in registers, and nothing is kept for backward, which computes them again (FLOPs are free
// here: forward moves 4 Tq D elements, backward 7, from and to memory). Equation numbers:
// docs/derivations/attention.md.
#pragma once

#include "core/cuda.h"
#include "kernels/cuda/attention_rows.cuh"

namespace xf::kernels::attention {

// The rows of k or v that fit are as many as max_keys, in whole groups of 16.
inline int key_rows(const AttentionShape& shape) { return rounded_up(static_cast<int>(shape.max_keys)); }

// A block for each sentence and head, then those for the spare rows.
inline dim3 blocks(int64_t B, int64_t heads) {
  return dim3(static_cast<unsigned>(B * heads) + kClearingBlocks);
}

// Scores become exp(scale s - maximum) where seen, else 0; per row half: maximum, and sum of the
// exponentials.
template <typename T, int kKeys>
__device__ __forceinline__ void exponentiate(RowTile<kKeys>& s, int keys, const int (&seen)[2], float scale,
                                             float (&maximum)[2], float (&sum)[2]) {
  for_each_score<T>(s, keys, [&](int n, int e, int key) {
    s.at[n][e] = key < seen[e / 2] ? scale * s.at[n][e] : -INFINITY;
    maximum[e / 2] = fmaxf(maximum[e / 2], s.at[n][e]);
  });
#pragma unroll
  for (int half = 0; half < 2; ++half) maximum[half] = row_max(maximum[half]);
  for_each_score<T>(s, keys, [&](int n, int e, int) {
    s.at[n][e] = expf(s.at[n][e] - maximum[e / 2]);
    sum[e / 2] += s.at[n][e];
  });
#pragma unroll
  for (int half = 0; half < 2; ++half) sum[half] = row_sum(sum[half]);
}

}  // namespace xf::kernels::attention
