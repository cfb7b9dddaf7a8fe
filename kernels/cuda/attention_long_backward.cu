// Attention of long sentences, backward, in tiles of 64 queries by 64 keys. Probabilities are
// rebuilt from lse, tile by tile, twice: once by blocks that own 64 queries of a head and add dq up
// in registers, once by blocks that own 64 keys of a key head and add dk and dv up, over all of its
// query heads. Seven products instead of five, but no sum ever crosses blocks: no atomics, the same
// bits each time. Both kernels: four warps, 16 rows of the block's tile each. The first also writes
// the row terms delta_i = do_i . o_i for the second, and runs before it. Equation numbers:
// docs/derivations/attention.md.
#include "core/cuda.h"
#include "kernels/cuda/attention_long.cuh"

namespace xf::kernels::attention {

namespace {

// Dropout's choice in a tile of 64 queries by 64 keys for who needs it by columns: a byte for four
// keys, bit k of keep[kQuads * i + j] for query i and key 4 j + k.
constexpr int kQuads = kTile / 4;

// Done by one warp for the 16 queries from token `first_row` on and the `keys` keys from first_key
// on, a multiple of 4, of their sentence.
__device__ __forceinline__ void draw_keep(const DropoutArgs& dropout, int first_row, int head, int first_key,
                                          int keys, uint8_t* keep) {
  const int lane = lane_index(), query = lane % kRows;
  for (int quad = lane / kRows; 4 * quad < rounded_up(keys); quad += kWarp / kRows) {
    keep[kQuads * query + quad] =
        static_cast<uint8_t>(kept_of_quad(dropout, head, first_key / 4 + quad, first_row + query));
  }
}

// What dropout multiplies a probability by: 0 or `scale`. keep: null without dropout.
__device__ __forceinline__ float keep_factor(const uint8_t* keep, float scale, int query, int key) {
  if (!keep) return 1.0f;
  return (keep[kQuads * query + key / 4] >> (key % 4) & 1) != 0 ? scale : 0.0f;
}

// Shared memory of both kernels: two tiles that stay, kStages pairs of tiles that pass, dropout's
// choice; and lse and delta of 64 queries.
template <typename T, int kWidth>
constexpr size_t kBackwardBytes = (2 + 2 * kStages<T>)*kTileBytes<T, kWidth> + kTile* kQuads +
                                  2 * kTile * sizeof(float);

template <typename T, int kWidth>
struct BackwardMemory {
  T *first, *second, *passing;
  float *lse, *delta;
  uint8_t* keep;  // null without dropout

  __device__ __forceinline__ BackwardMemory(unsigned char* bytes, bool dropout)
      : first(reinterpret_cast<T*>(bytes)),
        second(first + kTile * kPitch<T, kWidth>),
        passing(second + kTile * kPitch<T, kWidth>),
        lse(reinterpret_cast<float*>(passing + kStages<T> * 2 * kTile * kPitch<T, kWidth>)),
        delta(lse + kTile),
        keep(dropout ? reinterpret_cast<uint8_t*>(delta + kTile) : nullptr) {}
};

// delta_i = do_i . o_i of this lane's two rows, the same in the four lanes of a row; AT5. grad_o:
// the warp's 16 rows in shared memory; rows of o from `first` on, `count` of which exist.
template <int kWidth, typename T, typename Alignment>
__device__ __forceinline__ void row_terms(const T* grad_o, const HeadRows<const T, Alignment>& o, int first,
                                          int count, float (&delta)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = tile_row(2 * half);
    float sum = 0;
    if (row < count) {
      const T* const o_row = o.data + (first + row) * o.stride;
      for (int d = lane_index() % 4; d < o.width; d += 4) {
        sum = fmaf(to_float(grad_o[row * kPitch<T, kWidth> + d]), to_float(o_row[d]), sum);
      }
    }
    delta[half] = row_sum(sum);
  }
}

// ds, from its 16 queries' scores and (in its place) the gradient of the dropped probabilities;
// AT5. `seen` keys of the tile are attended by each row half.
template <typename T>
__device__ __forceinline__ void score_gradients(const RowTile<kTile>& scores, int keys, const int (&seen)[2],
                                                const float (&lse)[2], const float (&delta)[2], Kept kept,
                                                float scale, RowTile<kTile>& ds) {
  for_each_score<T>(scores, keys, [&](int n, int e, int key) {
    // AT10
    const float p = key < seen[e / 2] ? expf(scale * scores.at[n][e] - lse[e / 2]) : 0.0f;
    ds.at[n][e] = scale * p * (kept.factor(n, e) * ds.at[n][e] - delta[e / 2]);
  });
}

// dq of 64 queries, which it owns, and their row terms: deltas [H, Tq].
template <typename T, int kWidth, typename Alignment>
__global__ void __launch_bounds__(kThreads)
    attention_long_backward_queries(const AttentionBackwardArgs<T> args, float* const deltas) {
  constexpr int kPitch = attention::kPitch<T, kWidth>;
  XF_DYNAMIC_SHARED(bytes);
  const BackwardMemory<T, kWidth> memory(bytes, args.dropout.active());
  const int warp = static_cast<int>(threadIdx.x) / kWarp, head = static_cast<int>(blockIdx.y);
  const TilePlace place = tile_place(args.query_offsets, args.B);
  if (place.sentence < 0) {
    if (head == 0) clear_spare_gradients(args, place.spare, kClearingBlocks);
    return;
  }
  const Sentence s = sentence_at(args.query_offsets, args.key_offsets, place.sentence);
  if (place.first >= s.queries) return;
  const auto rows = [&](auto* x, int64_t stride, int begin, int of_head) {
    return head_rows<Alignment>(x, stride, begin, of_head, args.Dh);
  };
  const int key_head = head / static_cast<int>(args.group);  // AT11
  load_tile<kWidth>(rows(args.q, args.q_stride, s.q_begin, head), place.first, s.queries, memory.first);
  load_tile<kWidth>(rows(args.grad_o, args.grad_o_stride, s.q_begin, head), place.first, s.queries,
                    memory.second);
  const T *const q = memory.first + warp * kRows * kPitch, *const grad_o =
                                                               memory.second + warp * kRows * kPitch;
  const int end = args.shape.causal ? min(s.keys, place.first + kTile) : s.keys;
  const int first = place.first + warp * kRows, count = s.queries - first;
  float lse[2] = {}, delta[2] = {};
  const int64_t token = head * args.Tq + s.q_begin + first;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (tile_row(2 * half) < count) lse[half] = args.lse[token + tile_row(2 * half)];
  }
  RowTile<kWidth> dq;
  const auto take_in = [&](const T* k, const T* v, int key) {
    if (count <= 0) return;
    const int keys = min(kTile, end - key);
    if (key == 0) {
      row_terms<kWidth>(grad_o, rows(args.o, args.o_stride, s.q_begin, head), first, count, delta);
    }
    const Kept kept = kept_scores<T>(args.dropout, s.q_begin + first, head, key, keys);
    RowTile<kTile> scores, ds;
    add_product_transposed<kWidth>(q, k, keys, scores);
    add_product_transposed<kWidth>(grad_o, v, keys, ds);
    const int seen[2] = {keys_seen(args.shape, s.keys, first + tile_row(0)) - key,
                         keys_seen(args.shape, s.keys, first + tile_row(2)) - key};
    score_gradients<T>(scores, keys, seen, lse, delta, kept, args.shape.scale, ds);
    add_product(ds, k, keys, dq);  // AT6
  };
  for_each_tile<kWidth>(rows(args.k, args.k_stride, s.k_begin, key_head),
                        rows(args.v, args.v_stride, s.k_begin, key_head), 0, end, s.keys, memory.passing,
                        take_in);
  if (end > 0 && lane_index() % 4 == 0) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (tile_row(2 * half) < count) deltas[token + tile_row(2 * half)] = delta[half];
    }
  }
  store_rows(dq, rows(args.dq, args.dq_stride, s.q_begin, head), first, count);
}

// Up to 64 queries of one head, in shared memory.
template <typename T>
struct QueryTile {
  const T *q, *grad_o;
  const float *lse, *delta;
  const uint8_t* keep;  // null without dropout
  int queries;          // in whole blocks of 16; the rows past the last query are zero, also lse
                        // and delta
};

// Scores of a head and key tile: the scale, dropout's factor.
struct Scales {
  float score, keep;
};

// dv += pd^T do, dk += ds^T q for the 16 keys whose rows begin at k and v: AT8, AT7 with queries as
// columns. The keys are number `first_key`.. of the 64 that `keep` knows; key row r is seen by the
// tile's queries from first_query[half] on.
template <typename T, int kWidth>
__device__ __forceinline__ void add_key_gradients(const T* k, const T* v, const QueryTile<T>& tile,
                                                  int first_key, const int (&first_query)[2], Scales scales,
                                                  RowTile<kWidth>& dk, RowTile<kWidth>& dv) {
  constexpr int kPitch = attention::kPitch<T, kWidth>,
                kColumns = 32;  // queries at a time, as the registers allow
#pragma unroll 1
  for (int first = 0; first < tile.queries; first += kColumns) {
    const int count = min(kColumns, tile.queries - first);
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

// dk and dv of 64 keys of a key head, which it owns: sums over the query heads that share it.
template <typename T, int kWidth, typename Alignment>
__global__ void __launch_bounds__(kThreads)
    attention_long_backward_keys(const AttentionBackwardArgs<T> args, const float* const deltas) {
  constexpr int kPitch = attention::kPitch<T, kWidth>;
  XF_DYNAMIC_SHARED(bytes);
  const BackwardMemory<T, kWidth> memory(bytes, args.dropout.active());
  const int warp = static_cast<int>(threadIdx.x) / kWarp, key_head = static_cast<int>(blockIdx.y);
  const TilePlace place = tile_place(args.key_offsets, args.B);
  if (place.sentence < 0) return;
  const Sentence s = sentence_at(args.query_offsets, args.key_offsets, place.sentence);
  if (place.first >= s.keys) return;
  const auto rows = [&](auto* x, int64_t stride, int begin, int of_head) {
    return head_rows<Alignment>(x, stride, begin, of_head, args.Dh);
  };
  load_tile<kWidth>(rows(args.k, args.k_stride, s.k_begin, key_head), place.first, s.keys, memory.first);
  load_tile<kWidth>(rows(args.v, args.v_stride, s.k_begin, key_head), place.first, s.keys, memory.second);
  const T *const k = memory.first + warp * kRows * kPitch, *const v = memory.second + warp * kRows * kPitch;
  // When causal, the tiles of queries before this tile of keys see none of it: tiles are square.
  const int begin = args.shape.causal ? place.first : 0, first = place.first + warp * kRows;
  const int group = static_cast<int>(args.group);
  int head = key_head * group;
  RowTile<kWidth> dk, dv;
  const auto take_in = [&](const T* q, const T* grad_o, int query) {
    const int64_t token = s.q_begin + query;
    if (const int i = static_cast<int>(threadIdx.x); i < kTile) {
      const bool inside = query + i < s.queries;
      memory.lse[i] = inside ? args.lse[head * args.Tq + token + i] : 0.0f;
      memory.delta[i] = inside ? deltas[head * args.Tq + token + i] : 0.0f;
    }
    if (memory.keep) {
      draw_keep(args.dropout, static_cast<int>(token) + warp * kRows, head, place.first,
                min(kTile, s.keys - place.first), memory.keep + warp * kRows * kQuads);
    }
    __syncthreads();  // all of it is there
    if (first >= s.keys) return;
    const int queries = rounded_up(min(kTile, s.queries - query));
    const QueryTile<T> tile{q, grad_o, memory.lse, memory.delta, memory.keep, queries};
    const int from = args.shape.causal ? first - query : -kTile;
    add_key_gradients(k, v, tile, warp * kRows, {from + tile_row(0), from + tile_row(2)},
                      {args.shape.scale, args.dropout.scale}, dk, dv);
  };
#pragma unroll 1
  for (; head < (key_head + 1) * group; ++head) {  // AT12
    if (head > key_head * group) __syncthreads();  // the previous head's tiles have been read
    for_each_tile<kWidth>(rows(args.q, args.q_stride, s.q_begin, head),
                          rows(args.grad_o, args.grad_o_stride, s.q_begin, head), begin, s.queries, s.queries,
                          memory.passing, take_in);
  }
  store_rows(dk, rows(args.dk, args.dk_stride, s.k_begin, key_head), first, s.keys - first);
  store_rows(dv, rows(args.dv, args.dv_stride, s.k_begin, key_head), first, s.keys - first);
}

}  // namespace

template <typename T>
void backward_long(const AttentionBackwardArgs<T>& args) {
  auto* const deltas =
      static_cast<float*>(cuda::workspace(args.H * args.Tq * static_cast<int64_t>(sizeof(float))));
  with_head_width(args.Dh, [&]<int kWidth>() {
    constexpr size_t kBytes = kBackwardBytes<T, kWidth>;
    check_shared_memory<T>(kBytes, args.Dh);
    cuda::dispatch_alignment(rows_are_aligned(args), [&](auto alignment) {
      using Alignment = decltype(alignment);
      cuda::launch(attention_long_backward_queries<T, kWidth, Alignment>, long_grid(args.Tq, args.B, args.H),
                   dim3(kThreads), kBytes, cuda::stream(), args, deltas);
      cuda::launch(attention_long_backward_keys<T, kWidth, Alignment>,
                   long_grid(args.Tk, args.B, args.H / args.group), dim3(kThreads), kBytes, cuda::stream(),
                   args, deltas);
    });
  });
}

template void backward_long(const AttentionBackwardArgs<float>&);
template void backward_long(const AttentionBackwardArgs<bf16>&);

}  // namespace xf::kernels::attention
