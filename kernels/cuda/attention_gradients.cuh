// The half of attention's backward pass that both paths share: what keys and values receive from queries
// whose lse and row term delta are known. Equation numbers: docs/derivations/attention.md.
#pragma once

#include "kernels/cuda/attention_rows.cuh"

namespace xf::kernels::attention {

// Up to 64 queries of one head, in shared memory.
template <typename T>
struct QueryTile {
  const T *q, *grad_o;
  const float *lse, *delta;
  const uint8_t* keep;  // null without dropout
  int queries;          // in whole blocks of 16; the rows past the last query are zero, also lse and delta
};

// Scores of a head and key tile: the scale, dropout's factor.
struct Scales {
  float score, keep;
};

// dv += pd^T do, dk += ds^T q for the 16 keys whose rows begin at k and v: AT8, AT7 with queries as columns.
// The keys are number `first_key`.. of the 64 that `keep` knows; key row r is seen by the tile's queries from
// first_query[half] on. kColumns: of the tile's queries at a time, as the registers allow.
template <int kColumns, typename T, int kWidth>
__device__ __forceinline__ void add_key_gradients(const T* k, const T* v, const QueryTile<T>& tile,
                                                  int first_key, const int (&first_query)[2], Scales scales,
                                                  RowTile<kWidth>& dk, RowTile<kWidth>& dv) {
  constexpr int kPitch = attention::kPitch<T, kWidth>;
#pragma unroll 1
  for (int first = 0; first < tile.queries; first += kColumns) {
    const int count = kColumns == kRows ? kRows : min(kColumns, tile.queries - first);
    const T *const q = tile.q + first * kPitch, *const grad_o = tile.grad_o + first * kPitch;
    RowTile<kColumns> p, ds;
    add_product_transposed<kWidth>(k, q, count, p);
    add_product_transposed<kWidth>(v, grad_o, count, ds);
    for_each_score<T>(p, count, [&](int n, int e, int column) {
      const int query = first + column;
      const float factor = keep_factor(tile.keep, scales.keep, query, first_key + tile_row(e));
      const bool seen = query >= first_query[e / 2];
      const float probability = seen ? expf(scales.score * p.at[n][e] - tile.lse[query]) : 0.0f;
      ds.at[n][e] = scales.score * probability * (factor * ds.at[n][e] - tile.delta[query]);
      p.at[n][e] = factor * probability;
    });
    add_product(p, grad_o, count, dv);
    add_product(ds, q, count, dk);
  }
}

// Spare rows of the gradients; block `block` of `blocks` does its part.
template <typename T>
__device__ __forceinline__ void clear_spare_gradients(const AttentionBackwardArgs<T>& args, int64_t block,
                                                      int64_t blocks) {
  const int64_t q_end = args.query_offsets[args.B], k_end = args.key_offsets[args.B];
  const int64_t D = args.H * args.Dh, Dk = D / args.group;
  clear_rows(args.dq, args.dq_stride, q_end, args.Tq, D, block, blocks);
  clear_rows(args.dk, args.dk_stride, k_end, args.Tk, Dk, block, blocks);
  clear_rows(args.dv, args.dv_stride, k_end, args.Tk, Dk, block, blocks);
}

}  // namespace xf::kernels::attention
