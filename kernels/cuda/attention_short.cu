// Attention of sentences of up to 64 keys. A block works one sentence and head (backward: key head, whose query
// heads take turns, so that all of a row of dk and dv is added up by one warp); q, k, v come to shared memory once,
// scores and probabilities stay in registers, and nothing is kept for backward, which computes them again (FLOPs
// are free here: forward moves 4 Tq D elements, backward 7, from and to memory). Forward a block is one warp, so
// that no warp waits for another and shared memory, which limits how many run on a multiprocessor, is given back
// as soon as a sentence is done. Backward it is two, where sentences are long enough. Equation numbers:
// docs/derivations/attention.md.
#include "core/cuda.h"
#include "kernels/cuda/attention_gradients.cuh"

namespace xf::kernels::attention {

namespace {

// The rows of k or v that fit are as many as max_keys, in whole groups of 16.
int key_rows(const AttentionShape& shape) { return rounded_up(static_cast<int>(shape.max_keys)); }

// A block for each sentence and head, then those for the spare rows.
dim3 blocks(int64_t B, int64_t heads) { return dim3(static_cast<unsigned>(B * heads) + kClearingBlocks); }

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

// o of 16 queries from all of their keys, which are kKeys, in whole groups of 16; the rows of k and v past the last key are
// zero.
template <int kKeys, typename T, int kWidth>
__device__ __forceinline__ void query_outputs(const AttentionForwardArgs<T>& args, const Sentence& s,
                                              const T* k, const T* v, const T* q, int first,
                                              const uint8_t* keep, RowTile<kWidth>& o) {
  RowTile<kKeys> p;
  add_product_transposed<kWidth>(q, k, kKeys, p);
  const int seen[2] = {keys_seen(args.shape, s.keys, first + tile_row(0)),
                       keys_seen(args.shape, s.keys, first + tile_row(2))};
  float maximum[2] = {-INFINITY, -INFINITY}, sum[2] = {};
  exponentiate<T>(p, kKeys, seen, args.shape.scale, maximum, sum);
  const float inverse[2] = {1 / sum[0], 1 / sum[1]};
  for_each_score<T>(p, kKeys, [&](int n, int e, int key) {  // AT1, AT2, AT3
    p.at[n][e] *= inverse[e / 2] * keep_factor(keep, args.dropout.scale, tile_row(e), key);
  });
  add_product(p, v, kKeys, o);  // AT4
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
  const int key_head = head / static_cast<int>(args.group);  // AT11
  load_rows<kWidth>(head_rows(args.k, args.k_stride, s.k_begin, key_head, Dh, aligned), 0, s.keys,
                    rounded_up(s.keys), lane, kWarp, k);
  load_rows<kWidth>(head_rows(args.v, args.v_stride, s.k_begin, key_head, Dh, aligned), 0, s.keys,
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
    RowTile<kWidth> o;
    if (s.keys > 0) {
      with_whole_groups<kTile>(s.keys,
                               [&]<int kKeys>() { query_outputs<kKeys>(args, s, k, v, q, first, keep, o); });
    }
    store_rows(o, outputs, first, count);
  }
}

// Backward: queries that are in shared memory at a time, and blocks of a multiprocessor. 64 queries, or more registers than
// leave room for eight blocks, and the base step's 1,024 sentences and heads had to take turns (an H200: 42 us in place of 34).
constexpr int kQueries = 32, kBlocks = 8;

// A second warp has the next 16 queries, or keys, if a sentence of the usual length has as many; without any it would keep
// registers from other blocks.
int backward_warps(int64_t tokens, int64_t sentences) { return tokens > kRows * sentences ? 2 : 1; }

// Shared memory of a block: k, v [key_rows, kPitch], q, grad_o [kQueries, kPitch], lse, delta [kQueries], dropout's
// choice.
template <typename T, int kWidth>
size_t backward_bytes(const AttentionShape& shape) {
  const int rows = 2 * (key_rows(shape) + kQueries);
  return static_cast<size_t>(rows) * kPitch<T, kWidth> * sizeof(T) + 2 * kQueries * sizeof(float) +
         kQueries * kQuads;
}

// dq of 16 queries from kKeys keys, those past `columns` zero, and what add_key_gradients wants to know of the queries: lse,
// delta, dropout's choice.
template <int kKeys, typename T, int kWidth>
__device__ __forceinline__ void query_gradients(const AttentionBackwardArgs<T>& args, const Sentence& s,
                                                const T* k, const T* v, const T* q, const T* grad_o,
                                                int first, int columns, const uint8_t* keep, float* lse,
                                                float* delta, RowTile<kWidth>& dq) {
  const float scale = args.shape.scale;
  RowTile<kKeys> p, ds;
  add_product_transposed<kWidth>(q, k, columns, p);
  add_product_transposed<kWidth>(grad_o, v, columns, ds);
  const int seen[2] = {keys_seen(args.shape, s.keys, first + tile_row(0)),
                       keys_seen(args.shape, s.keys, first + tile_row(2))};
  float maximum[2] = {-INFINITY, -INFINITY}, sum[2] = {}, row_term[2] = {};
  exponentiate<T>(p, columns, seen, scale, maximum, sum);
  const float inverse[2] = {1 / sum[0], 1 / sum[1]};
  for_each_score<T>(p, columns, [&](int n, int e, int key) {
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
  for_each_score<T>(p, columns, [&](int n, int e, int) {
    ds.at[n][e] = scale * p.at[n][e] * (ds.at[n][e] - row_term[e / 2]);  // AT5
  });
  add_product(ds, k, columns, dq);  // AT6
}

// Up to 32 keys, their number in whole groups is a constant, so that no branch stands between two products; more of them would
// take more registers than there are for a block.
constexpr int kFewKeys = 32;

// A warp takes 16 queries, then 16 keys, the next warp the next.
template <typename T, int kWidth>
__global__ void __launch_bounds__(2 * kWarp, kWidth <= 64 ? kBlocks : 1)
    attention_short_backward(const AttentionBackwardArgs<T> args, const int capacity, const bool aligned) {
  constexpr int kPitch = attention::kPitch<T, kWidth>;
  XF_DYNAMIC_SHARED(bytes);
  T *const k = reinterpret_cast<T*>(bytes), *const v = k + capacity * kPitch;
  T *const q = v + capacity * kPitch, *const grad_o = q + kQueries * kPitch;
  float *const lse = reinterpret_cast<float*>(grad_o + kQueries * kPitch), *const delta = lse + kQueries;
  uint8_t* const keep = args.dropout.active() ? reinterpret_cast<uint8_t*>(delta + kQueries) : nullptr;
  const int group = static_cast<int>(args.group), key_heads = static_cast<int>(args.H) / group;
  const int64_t task = blockIdx.x;
  if (task >= args.B * key_heads) {
    return clear_spare_gradients(args, task - args.B * key_heads, kClearingBlocks);
  }
  const Sentence s = sentence_at(args.query_offsets, args.key_offsets, task / key_heads);
  const int key_head = static_cast<int>(task % key_heads), thread = static_cast<int>(threadIdx.x),
            threads = static_cast<int>(blockDim.x), own_rows = thread / kWarp * kRows,
            all_rows = threads / kWarp * kRows;
  const auto rows = [&](auto* x, int64_t stride, int begin, int of_head) {
    return head_rows(x, stride, begin, of_head, static_cast<int>(args.Dh), aligned);
  };
  if (s.queries + s.keys == 0) return;
  const auto dk_rows = rows(args.dk, args.dk_stride, s.k_begin, key_head),
             dv_rows = rows(args.dv, args.dv_stride, s.k_begin, key_head);
  load_rows<kWidth>(rows(args.k, args.k_stride, s.k_begin, key_head), 0, s.keys, rounded_up(s.keys), thread,
                    threads, k);
  load_rows<kWidth>(rows(args.v, args.v_stride, s.k_begin, key_head), 0, s.keys, rounded_up(s.keys), thread,
                    threads, v);
  bool add = false;
  // 32 queries of a head at a time; what more of them there are adds to dk and dv in memory. A sentence without
  // queries runs for zeros.
#pragma unroll 1
  for (int head = key_head * group; head < (key_head + 1) * group; ++head) {
    for (int chunk = 0; chunk == 0 || chunk < s.queries; chunk += kQueries, add = true) {
      const int queries = min(kQueries, s.queries - chunk);
      if (add) __syncthreads();  // the previous queries have been read
      load_rows<kWidth>(rows(args.q, args.q_stride, s.q_begin, head), chunk, queries, rounded_up(queries),
                        thread, threads, q);
      load_rows<kWidth>(rows(args.grad_o, args.grad_o_stride, s.q_begin, head), chunk, queries,
                        rounded_up(queries), thread, threads, grad_o);
      cuda::copy_async_commit();
      if (keep) {
        for (int first = own_rows; first < queries; first += all_rows)
          draw_keep(args.dropout, s.q_begin + chunk + first, head, 0, s.keys, keep + first * kQuads);
      }
      cuda::copy_async_wait<0>();
      __syncthreads();
      for (int first = own_rows; first < queries; first += all_rows) {
        RowTile<kWidth> dq;
        const auto gradients = [&]<int kKeys>(int columns) {
          query_gradients<kKeys>(args, s, k, v, q + first * kPitch, grad_o + first * kPitch, chunk + first,
                                 columns, keep ? keep + first * kQuads : nullptr, lse + first, delta + first,
                                 dq);
        };
        if (s.keys == 0) {
          // dq is zero
        } else if (s.keys <= kFewKeys) {
          with_whole_groups<kFewKeys>(s.keys,
                                      [&]<int kKeys>() { gradients.template operator()<kKeys>(kKeys); });
        } else {
          gradients.template operator()<kTile>(s.keys);
        }
        store_rows(dq, rows(args.dq, args.dq_stride, s.q_begin, head), chunk + first,
                   min(kRows, queries - first));
      }
      __syncthreads();  // lse and delta are known to all
      const QueryTile<T> tile{q, grad_o, lse, delta, keep, rounded_up(queries)};
      for (int first = own_rows; first < s.keys; first += all_rows) {
        const int from = args.shape.causal ? first - chunk : -kQueries;
        RowTile<kWidth> dk, dv;
        add_key_gradients<kRows>(k + first * kPitch, v + first * kPitch, tile, first,
                                 {from + tile_row(0), from + tile_row(2)},
                                 {args.shape.scale, args.dropout.scale}, dk, dv);
        store_rows(dk, dk_rows, first, min(kRows, s.keys - first), add);  // AT12
        store_rows(dv, dv_rows, first, min(kRows, s.keys - first), add);
      }
    }
  }
}

}  // namespace

template <typename T>
void forward_short(const AttentionForwardArgs<T>& args) {
  with_head_width(args.Dh, [&]<int kWidth>() {
    const size_t bytes = forward_bytes<T, kWidth>(args.shape);
    check_shared_memory<T>(bytes, args.Dh);
    cuda::launch(attention_short_forward<T, kWidth>, blocks(args.B, args.H), dim3(kWarp), bytes,
                 cuda::stream(), args, key_rows(args.shape), rows_are_aligned(args));
  });
}

template <typename T>
void backward_short(const AttentionBackwardArgs<T>& args) {
  with_head_width(args.Dh, [&]<int kWidth>() {
    const size_t bytes = backward_bytes<T, kWidth>(args.shape);
    check_shared_memory<T>(bytes, args.Dh);
    cuda::launch(attention_short_backward<T, kWidth>, blocks(args.B, args.H / args.group),
                 dim3(static_cast<unsigned>(backward_warps(args.Tq, args.B) * kWarp)), bytes, cuda::stream(),
                 args, key_rows(args.shape), rows_are_aligned(args));
  });
}

template void forward_short(const AttentionForwardArgs<float>&);
template void forward_short(const AttentionForwardArgs<bf16>&);
template void backward_short(const AttentionBackwardArgs<float>&);
template void backward_short(const AttentionBackwardArgs<bf16>&);

}  // namespace xf::kernels::attention
