// Attention of sentences of up to 64 keys. One warp, a block of its own, works one sentence and head; q, k, v
// come to shared memory once, scores and probabilities stay in registers, and nothing is kept for backward,
// which computes them again (FLOPs are free here: forward moves 4 Tq D elements, backward 7, from and to
// memory). A block is one warp so that no warp waits for another and shared memory, which limits how many run
// on a multiprocessor, is given back as soon as a sentence is done. Equation numbers:
// docs/derivations/attention.md.
#include "core/cuda.h"
#include "kernels/cuda/attention_gradients.cuh"

namespace xf::kernels::attention {

namespace {

// The rows of k or v that fit are as many as max_keys, in whole groups of 16.
int key_rows(const AttentionShape& shape) { return rounded_up(static_cast<int>(shape.max_keys)); }

template <typename Args>
dim3 blocks(const Args& args) {
  return dim3(static_cast<unsigned>(args.B * args.H) + kClearingBlocks);
}

// Scores become exp(scale s - maximum) where seen, else 0; per row half: maximum, and sum of the
// exponentials.
template <typename T>
__device__ __forceinline__ void exponentiate(RowTile<kTile>& s, int keys, const int (&seen)[2], float scale,
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

// Shared memory of a block: k, v [key_rows, kPitch], then 16 rows of q, then dropout's choice.
template <typename T, int kWidth>
size_t forward_bytes(const AttentionShape& shape) {
  const int rows = 2 * key_rows(shape) + kRows;
  return static_cast<size_t>(rows) * kPitch<T, kWidth> * sizeof(T) + kRows * kQuads;
}

template <typename T, int kWidth>
__global__ void __launch_bounds__(kWarp)
    attention_short_forward(const AttentionForwardArgs<T> args, const int capacity, const bool aligned) {
  constexpr int kPitch = attention::kPitch<T, kWidth>;
  XF_DYNAMIC_SHARED(bytes);
  T *const k = reinterpret_cast<T*>(bytes), *const v = k + capacity * kPitch,
           *const q = v + capacity * kPitch;
  uint8_t* const keep = args.dropout.active() ? reinterpret_cast<uint8_t*>(q + kRows * kPitch) : nullptr;
  const int64_t task = blockIdx.x;
  if (task >= args.B * args.H) {
    return clear_rows(args.o, args.o_stride, args.query_offsets[args.B], args.Tq, args.H * args.Dh,
                      task - args.B * args.H, kClearingBlocks);
  }
  const Sentence s = sentence_at(args.query_offsets, args.key_offsets, task / args.H);
  const int head = static_cast<int>(task % args.H), lane = lane_index(), Dh = static_cast<int>(args.Dh);
  if (s.queries == 0) return;
  load_rows<kWidth>(head_rows(args.k, args.k_stride, s.k_begin, head, Dh, aligned), 0, s.keys,
                    rounded_up(s.keys), lane, kWarp, k);
  load_rows<kWidth>(head_rows(args.v, args.v_stride, s.k_begin, head, Dh, aligned), 0, s.keys,
                    rounded_up(s.keys), lane, kWarp, v);
  const auto queries = head_rows(args.q, args.q_stride, s.q_begin, head, Dh, aligned);
  const auto outputs = head_rows(args.o, args.o_stride, s.q_begin, head, Dh, aligned);
  for (int first = 0; first < s.queries; first += kRows) {
    const int count = min(kRows, s.queries - first);
    if (first > 0) __syncwarp();  // the previous 16 queries and their dropout have been read
    load_rows<kWidth>(queries, first, count, kRows, lane, kWarp, q);
    if (keep) draw_keep(args.dropout, s.q_begin + first, head, 0, s.keys, keep);
    cuda::copy_async_commit();
    cuda::copy_async_wait<0>();
    __syncwarp();
    RowTile<kTile> p;
    add_product_transposed<kWidth>(q, k, s.keys, p);
    const int seen[2] = {keys_seen(args.shape, s.keys, first + tile_row(0)),
                         keys_seen(args.shape, s.keys, first + tile_row(2))};
    float maximum[2] = {-INFINITY, -INFINITY}, sum[2] = {};
    exponentiate<T>(p, s.keys, seen, args.shape.scale, maximum, sum);
    const float inverse[2] = {1 / sum[0], 1 / sum[1]};
    for_each_score<T>(p, s.keys, [&](int n, int e, int key) {  // AT1, AT2, AT3
      p.at[n][e] *= inverse[e / 2] * keep_factor(keep, args.dropout.scale, tile_row(e), key);
    });
    RowTile<kWidth> o;
    add_product(p, v, s.keys, o);  // AT4
    store_rows(o, outputs, first, count);
  }
}

// Shared memory of a block: k, v [key_rows, kPitch], q, grad_o [64, kPitch], lse, delta [64], dropout's
// choice.
template <typename T, int kWidth>
size_t backward_bytes(const AttentionShape& shape) {
  const int rows = 2 * (key_rows(shape) + kTile);
  return static_cast<size_t>(rows) * kPitch<T, kWidth> * sizeof(T) + 2 * kTile * sizeof(float) +
         kTile * kQuads;
}

// dq of 16 queries, and what add_key_gradients wants to know of them: lse, delta, dropout's choice.
template <typename T, int kWidth>
__device__ __forceinline__ void query_gradients(const AttentionBackwardArgs<T>& args, const Sentence& s,
                                                int head, const T* k, const T* v, const T* q, const T* grad_o,
                                                int first, uint8_t* keep, float* lse, float* delta,
                                                RowTile<kWidth>& dq) {
  const float scale = args.shape.scale;
  if (keep) draw_keep(args.dropout, s.q_begin + first, head, 0, s.keys, keep);
  RowTile<kTile> p, ds;
  add_product_transposed<kWidth>(q, k, s.keys, p);
  add_product_transposed<kWidth>(grad_o, v, s.keys, ds);
  const int seen[2] = {keys_seen(args.shape, s.keys, first + tile_row(0)),
                       keys_seen(args.shape, s.keys, first + tile_row(2))};
  float maximum[2] = {-INFINITY, -INFINITY}, sum[2] = {}, row_term[2] = {};
  exponentiate<T>(p, s.keys, seen, scale, maximum, sum);
  __syncwarp();  // dropout is drawn
  const float inverse[2] = {1 / sum[0], 1 / sum[1]};
  for_each_score<T>(p, s.keys, [&](int n, int e, int key) {
    p.at[n][e] *= inverse[e / 2];
    ds.at[n][e] *= keep_factor(keep, args.dropout.scale, tile_row(e), key);
    row_term[e / 2] += p.at[n][e] * ds.at[n][e];
  });
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    row_term[half] = row_sum(row_term[half]);
    if (lane_index() % 4 == 0) {
      lse[tile_row(2 * half)] = maximum[half] + logf(sum[half]);
      delta[tile_row(2 * half)] = row_term[half];
    }
  }
  for_each_score<T>(p, s.keys, [&](int n, int e, int) {
    ds.at[n][e] = scale * p.at[n][e] * (ds.at[n][e] - row_term[e / 2]);  // AT5
  });
  add_product(ds, k, s.keys, dq);  // AT6
}

template <typename T, int kWidth>
__global__ void __launch_bounds__(kWarp)
    attention_short_backward(const AttentionBackwardArgs<T> args, const int capacity, const bool aligned) {
  constexpr int kPitch = attention::kPitch<T, kWidth>;
  XF_DYNAMIC_SHARED(bytes);
  T *const k = reinterpret_cast<T*>(bytes), *const v = k + capacity * kPitch;
  T *const q = v + capacity * kPitch, *const grad_o = q + kTile * kPitch;
  float *const lse = reinterpret_cast<float*>(grad_o + kTile * kPitch), *const delta = lse + kTile;
  uint8_t* const keep = args.dropout.active() ? reinterpret_cast<uint8_t*>(delta + kTile) : nullptr;
  const int64_t task = blockIdx.x;
  if (task >= args.B * args.H) return clear_spare_gradients(args, task - args.B * args.H, kClearingBlocks);
  const Sentence s = sentence_at(args.query_offsets, args.key_offsets, task / args.H);
  const int head = static_cast<int>(task % args.H), lane = lane_index(), Dh = static_cast<int>(args.Dh);
  const auto rows = [&](auto* x, int64_t stride, int begin) {
    return head_rows(x, stride, begin, head, Dh, aligned);
  };
  if (s.queries + s.keys == 0) return;
  const auto dq_rows = rows(args.dq, args.dq_stride, s.q_begin);
  const auto dk_rows = rows(args.dk, args.dk_stride, s.k_begin),
             dv_rows = rows(args.dv, args.dv_stride, s.k_begin);
  load_rows<kWidth>(rows(args.k, args.k_stride, s.k_begin), 0, s.keys, rounded_up(s.keys), lane, kWarp, k);
  load_rows<kWidth>(rows(args.v, args.v_stride, s.k_begin), 0, s.keys, rounded_up(s.keys), lane, kWarp, v);
  // 64 queries at a time; what more of them a sentence has adds to dk and dv in memory. A sentence without
  // queries runs once, for zeros.
  for (int chunk = 0; chunk == 0 || chunk < s.queries; chunk += kTile) {
    const int queries = min(kTile, s.queries - chunk);
    if (chunk > 0) __syncwarp();  // the previous queries have been read
    load_rows<kWidth>(rows(args.q, args.q_stride, s.q_begin), chunk, queries, rounded_up(queries), lane,
                      kWarp, q);
    load_rows<kWidth>(rows(args.grad_o, args.grad_o_stride, s.q_begin), chunk, queries, rounded_up(queries),
                      lane, kWarp, grad_o);
    cuda::copy_async_commit();
    cuda::copy_async_wait<0>();
    __syncwarp();
    for (int first = 0; first < queries; first += kRows) {
      RowTile<kWidth> dq;
      query_gradients(args, s, head, k, v, q + first * kPitch, grad_o + first * kPitch, chunk + first,
                      keep ? keep + first * kQuads : nullptr, lse + first, delta + first, dq);
      store_rows(dq, dq_rows, chunk + first, min(kRows, queries - first));
    }
    __syncwarp();  // lse and delta are known to all lanes
    const QueryTile<T> tile{q, grad_o, lse, delta, keep, rounded_up(queries)};
    for (int first = 0; first < s.keys; first += kRows) {
      const int from = args.shape.causal ? first - chunk : -kTile;
      RowTile<kWidth> dk, dv;
      add_key_gradients(k + first * kPitch, v + first * kPitch, tile, first,
                        {from + tile_row(0), from + tile_row(2)}, {args.shape.scale, args.dropout.scale}, dk,
                        dv);
      store_rows(dk, dk_rows, first, min(kRows, s.keys - first), chunk > 0);
      store_rows(dv, dv_rows, first, min(kRows, s.keys - first), chunk > 0);
    }
  }
}

}  // namespace

template <typename T>
void forward_short(const AttentionForwardArgs<T>& args) {
  with_head_width(args.Dh, [&]<int kWidth>() {
    const size_t bytes = forward_bytes<T, kWidth>(args.shape);
    check_shared_memory<T>(bytes, args.Dh);
    cuda::launch(attention_short_forward<T, kWidth>, blocks(args), dim3(kWarp), bytes, cuda::stream(), args,
                 key_rows(args.shape), rows_are_aligned(args));
  });
}

template <typename T>
void backward_short(const AttentionBackwardArgs<T>& args) {
  with_head_width(args.Dh, [&]<int kWidth>() {
    const size_t bytes = backward_bytes<T, kWidth>(args.shape);
    check_shared_memory<T>(bytes, args.Dh);
    cuda::launch(attention_short_backward<T, kWidth>, blocks(args), dim3(kWarp), bytes, cuda::stream(), args,
                 key_rows(args.shape), rows_are_aligned(args));
  });
}

template void forward_short(const AttentionForwardArgs<float>&);
template void forward_short(const AttentionForwardArgs<bf16>&);
template void backward_short(const AttentionBackwardArgs<float>&);
template void backward_short(const AttentionBackwardArgs<bf16>&);

}  // namespace xf::kernels::attention
