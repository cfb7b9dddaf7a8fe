// Attention of long sentences, forward, in tiles of 64 queries by 64 keys, after Dao 2023,
// arXiv:2307.08691: no row of scores is ever whole; a running maximum and sum per query, and o
// before its division, live in registers. A block of four warps, 16 queries each, takes one tile of
// queries of one head through all its keys: 64 x 64 keeps q and two tiles each of k and v within
// what two to three blocks of a multiprocessor can share. bf16 fetches the next keys while it works
// on these; f32, twice as wide, has one tile and waits. Moves q and o once, k and v once per 64
// queries (from the second-level cache), 4 Tq Tk D FLOPs, half when causal. Equation numbers:
// docs/derivations/attention.md.
#include "core/cuda.h"
#include "kernels/cuda/attention_long.cuh"

namespace xf::kernels::attention {

namespace {

// Shared memory of a block: q [64, kPitch], then kStages times k, v [64, kPitch].
template <typename T, int kWidth>
constexpr size_t kForwardBytes = (1 + 2 * kStages<T>)*kTileBytes<T, kWidth>;

// AT9. What a warp keeps of its 16 queries: per row half the largest score so far and the sum of
// exp(s - maximum), and o before its division.
template <int kWidth>
struct RunningSoftmax {
  float maximum[2] = {-INFINITY, -INFINITY}, sum[2] = {};
  RowTile<kWidth> o;
};

// Takes 64 keys in; s: their scores, before the scale. seen: keys of the tile that each row half
// may attend. Every query sees the first key of the first tile, so that no maximum stays -inf.
template <typename T, int kWidth>
__device__ __forceinline__ void take_in(RowTile<kTile>& s, int keys, const int (&seen)[2], float scale,
                                        Kept kept, RunningSoftmax<kWidth>& running) {
  float maximum[2] = {running.maximum[0], running.maximum[1]}, sum[2] = {}, shrink[2];
  for_each_score<T>(s, keys, [&](int n, int e, int key) {
    s.at[n][e] = key < seen[e / 2] ? scale * s.at[n][e] : -INFINITY;
    maximum[e / 2] = fmaxf(maximum[e / 2], s.at[n][e]);
  });
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    maximum[half] = row_max(maximum[half]);
    shrink[half] = expf(running.maximum[half] - maximum[half]);  // exp(-inf) = 0 the first time
    running.maximum[half] = maximum[half];
  }
  for_each_score<T>(s, keys, [&](int n, int e, int) {
    const float p = expf(s.at[n][e] - maximum[e / 2]);
    sum[e / 2] += p;
    s.at[n][e] = p * kept.factor(n, e);
  });
#pragma unroll
  for (int half = 0; half < 2; ++half) running.sum[half] = running.sum[half] * shrink[half] + sum[half];
#pragma unroll
  for (int n = 0; n < kWidth / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) running.o.at[n][e] *= shrink[e / 2];
  }
}

// o = sum of the dropped exponentials times v over the sum of all; lse = maximum + log(sum).
// `first`: the warp's first query.
template <typename Alignment, typename T, int kWidth>
__device__ __forceinline__ void finish(const AttentionForwardArgs<T>& args, const Sentence& s, int head,
                                       int first, RunningSoftmax<kWidth>& running) {
  const int count = s.queries - first;
  float inverse[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float sum = row_sum(running.sum[half]);
    inverse[half] = s.keys > 0 ? 1 / sum : 0.0f;
    if (lane_index() % 4 == 0 && tile_row(2 * half) < count) {
      const int64_t token = s.q_begin + first + tile_row(2 * half);
      args.lse[head * args.Tq + token] = running.maximum[half] + logf(sum);  // -inf without keys
    }
  }
#pragma unroll
  for (int n = 0; n < kWidth / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) running.o.at[n][e] *= inverse[e / 2];
  }
  store_rows(running.o, head_rows<Alignment>(args.o, args.o_stride, s.q_begin, head, args.Dh), first, count);
}

template <typename T>
__device__ __forceinline__ void clear_spare(const AttentionForwardArgs<T>& args, int64_t block) {
  const int64_t begin = args.query_offsets[args.B];
  clear_rows(args.o, args.o_stride, begin, args.Tq, args.H * args.Dh, block, kClearingBlocks);
  for (int64_t h = block; h < args.H; h += kClearingBlocks) {
    for (int64_t row = begin + threadIdx.x; row < args.Tq; row += kThreads)
      args.lse[h * args.Tq + row] = -INFINITY;
  }
}

template <typename T, int kWidth, typename Alignment>
__global__ void __launch_bounds__(kThreads) attention_long_forward(const AttentionForwardArgs<T> args) {
  constexpr int kPitch = attention::kPitch<T, kWidth>;
  XF_DYNAMIC_SHARED(bytes);
  T *const q = reinterpret_cast<T*>(bytes), *const keys = q + kTile * kPitch;
  const int warp = static_cast<int>(threadIdx.x) / kWarp, head = static_cast<int>(blockIdx.y);
  const TilePlace place = tile_place(args.query_offsets, args.B);
  if (place.sentence < 0) {
    if (head == 0) clear_spare(args, place.spare);
    return;
  }
  const Sentence s = sentence_at(args.query_offsets, args.key_offsets, place.sentence);
  if (place.first >= s.queries) return;
  const auto rows = [&](const T* x, int64_t stride, int begin, int of_head) {
    return head_rows<Alignment>(x, stride, begin, of_head, args.Dh);
  };
  const int key_head = head / static_cast<int>(args.group);  // AT11
  const auto q_rows = rows(args.q, args.q_stride, s.q_begin, head);
  const auto k_rows = rows(args.k, args.k_stride, s.k_begin, key_head),
             v_rows = rows(args.v, args.v_stride, s.k_begin, key_head);
  const int end = args.shape.causal ? min(s.keys, place.first + kTile) : s.keys,
            first = place.first + warp * kRows;
  RunningSoftmax<kWidth> running;
  load_tile<kWidth>(q_rows, place.first, s.queries, q);
  for_each_tile<kWidth>(k_rows, v_rows, 0, end, s.keys, keys, [&](const T* k, const T* v, int key) {
    if (first >= s.queries) return;
    const int count = min(kTile, end - key);
    const Kept kept = kept_scores<T>(args.dropout, s.q_begin + first, head, key, count);
    RowTile<kTile> scores;
    add_product_transposed<kWidth>(q + warp * kRows * kPitch, k, count, scores);
    const int seen[2] = {keys_seen(args.shape, s.keys, first + tile_row(0)) - key,
                         keys_seen(args.shape, s.keys, first + tile_row(2)) - key};
    take_in<T>(scores, count, seen, args.shape.scale, kept, running);
    add_product(scores, v, count, running.o);
  });
  finish<Alignment>(args, s, head, first, running);
}

}  // namespace

template <typename T>
void forward_long(const AttentionForwardArgs<T>& args) {
  with_head_width(args.Dh, [&]<int kWidth>() {
    check_shared_memory<T>(kForwardBytes<T, kWidth>, args.Dh);
    cuda::dispatch_alignment(rows_are_aligned(args), [&](auto alignment) {
      cuda::launch(attention_long_forward<T, kWidth, decltype(alignment)>, long_grid(args.Tq, args.B, args.H),
                   dim3(kThreads), kForwardBytes<T, kWidth>, cuda::stream(), args);
    });
  });
}

template void forward_long(const AttentionForwardArgs<float>&);
template void forward_long(const AttentionForwardArgs<bf16>&);

}  // namespace xf::kernels::attention
