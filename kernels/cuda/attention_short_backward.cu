// Attention of sentences of up to 64 keys, backward (attention_short.cuh). A block is two warps,
// where sentences are long enough; a warp leaves the rows pd and ds of its queries in shared
// memory, and takes columns of them for its keys: five products.
#include "kernels/cuda/attention_short.cuh"

namespace xf::kernels::attention {

namespace {

// Queries that are in shared memory at a time, and blocks of a multiprocessor. 64 queries, or more
// registers than leave room for eight blocks, and the base step's 1,024 sentences and heads have to
// take turns (an H200, when there were seven products: 42 us in place of 34).
constexpr int kQueries = 32, kBlocks = 8;

// A second warp has the next 16 queries, or keys, if a sentence of the usual length has as many;
// without any it would keep registers from other blocks.
int backward_warps(int64_t tokens, int64_t sentences) { return tokens > kRows * sentences ? 2 : 1; }

// Probabilities and their gradients of the queries in shared memory: a row for each query, as long
// as there are keys, and 16 bytes more, so that eight rows at one column touch all banks once.
template <typename T>
__host__ __device__ __forceinline__ int score_pitch(int key_rows) {
  return key_rows + 16 / static_cast<int>(sizeof(T));
}

// Shared memory of a block: k, v [key_rows, kPitch], q, grad_o [kQueries, kPitch], pd, ds
// [kQueries, score_pitch].
template <typename T, int kWidth>
size_t backward_bytes(const AttentionShape& shape) {
  const int rows = 2 * (key_rows(shape) + kQueries), scores = 2 * kQueries * score_pitch<T>(key_rows(shape));
  return static_cast<size_t>(rows * kPitch<T, kWidth> + scores) * sizeof(T);
}

// Up to 32 keys, their number in whole groups is a constant, so that no branch stands between two
// products; more of them would take more registers than there are for a block.
constexpr int kFewKeys = 32;

// dq of 16 queries from the first `columns` of kKeys keys, in whole groups of 16; and the queries'
// rows of pd and of ds, which are `pitch` apart.
template <int kKeys, typename T, int kWidth>
__device__ __forceinline__ void query_gradients(const AttentionBackwardArgs<T>& args, const Sentence& s,
                                                const T* k, const T* v, const T* q, const T* grad_o,
                                                int first, int columns, Kept kept, int pitch, T* pd_rows,
                                                T* ds_rows, RowTile<kWidth>& dq) {
  const float scale = args.shape.scale;
  RowTile<kKeys> p, ds;
  add_product_transposed<kWidth>(q, k, columns, p);
  add_product_transposed<kWidth>(grad_o, v, columns, ds);
  const int seen[2] = {keys_seen(args.shape, s.keys, first + tile_row(0)),
                       keys_seen(args.shape, s.keys, first + tile_row(2))};
  float maximum[2] = {-INFINITY, -INFINITY}, sum[2] = {}, row_term[2] = {};
  exponentiate<T>(p, columns, seen, scale, maximum, sum);
  const float inverse[2] = {1 / sum[0], 1 / sum[1]};
  for_each_score<T>(p, columns, [&](int n, int e, int) {
    p.at[n][e] *= inverse[e / 2];
    ds.at[n][e] *= kept.factor(n, e);
    row_term[e / 2] += p.at[n][e] * ds.at[n][e];
  });
#pragma unroll
  for (int half = 0; half < 2; ++half) row_term[half] = row_sum(row_term[half]);
  for_each_score<T>(p, columns, [&](int n, int e, int) {
    ds.at[n][e] = scale * p.at[n][e] * (ds.at[n][e] - row_term[e / 2]);  // AT5
    p.at[n][e] *= kept.factor(n, e);                                     // AT3
  });
  store_scores(p, columns, pd_rows, pitch);
  store_scores(ds, columns, ds_rows, pitch);
  add_product(ds, k, columns, dq);  // AT6
}

// A warp takes 16 queries, then 16 keys, the next warp the next.
template <typename T, int kWidth, typename Alignment>
__global__ void __launch_bounds__(2 * kWarp, kWidth <= 64 ? kBlocks : 1)
    attention_short_backward(const AttentionBackwardArgs<T> args, const int capacity) {
  constexpr int kPitch = attention::kPitch<T, kWidth>;
  const int pitch = score_pitch<T>(capacity);
  XF_DYNAMIC_SHARED(bytes);
  T *const k = reinterpret_cast<T*>(bytes), *const v = k + capacity * kPitch;
  T *const q = v + capacity * kPitch, *const grad_o = q + kQueries * kPitch;
  T *const pd = grad_o + kQueries * kPitch, *const ds = pd + kQueries * pitch;
  const int group = static_cast<int>(args.group), key_heads = static_cast<int>(args.H) / group;
  const int sentence = static_cast<int>(blockIdx.x) / key_heads;
  if (sentence >= args.B)
    return clear_spare_gradients(args, blockIdx.x - args.B * key_heads, kClearingBlocks);
  const Sentence s = sentence_at(args.query_offsets, args.key_offsets, sentence);
  const int key_head = static_cast<int>(blockIdx.x) % key_heads, thread = static_cast<int>(threadIdx.x),
            threads = static_cast<int>(blockDim.x), own_rows = thread / kWarp * kRows,
            all_rows = threads / kWarp * kRows;
  const auto rows = [&](auto* x, int64_t stride, int begin, int of_head) {
    return head_rows<Alignment>(x, stride, begin, of_head, args.Dh);
  };
  if (s.queries + s.keys == 0) return;
  const auto dk_rows = rows(args.dk, args.dk_stride, s.k_begin, key_head),
             dv_rows = rows(args.dv, args.dv_stride, s.k_begin, key_head);
  load_rows<kWidth>(rows(args.k, args.k_stride, s.k_begin, key_head), 0, s.keys, rounded_up(s.keys), thread,
                    threads, k);
  load_rows<kWidth>(rows(args.v, args.v_stride, s.k_begin, key_head), 0, s.keys, rounded_up(s.keys), thread,
                    threads, v);
  bool add = false;
  // 32 queries of a head at a time; what more of them there are adds to dk and dv in memory. A
  // sentence without queries runs for zeros.
#pragma unroll 1
  for (int head = key_head * group; head < (key_head + 1) * group; ++head) {
#pragma unroll 1
    for (int chunk = 0; chunk == 0 || chunk < s.queries; chunk += kQueries, add = true) {
      const int queries = min(kQueries, s.queries - chunk);
      if (add) __syncthreads();  // the previous queries have been read
      load_rows<kWidth>(rows(args.q, args.q_stride, s.q_begin, head), chunk, queries, rounded_up(queries),
                        thread, threads, q);
      load_rows<kWidth>(rows(args.grad_o, args.grad_o_stride, s.q_begin, head), chunk, queries,
                        rounded_up(queries), thread, threads, grad_o);
      cuda::copy_async_commit();
      cuda::copy_async_wait<0>();
      __syncthreads();
#pragma unroll 1
      for (int first = own_rows; first < queries; first += all_rows) {
        const Kept kept = kept_scores<T>(args.dropout, s.q_begin + chunk + first, head, 0, s.keys);
        RowTile<kWidth> dq;
        const auto gradients = [&]<int kKeys>(int columns) {
          query_gradients<kKeys>(args, s, k, v, q + first * kPitch, grad_o + first * kPitch, chunk + first,
                                 columns, kept, pitch, pd + first * pitch, ds + first * pitch, dq);
        };
        if (s.keys == 0) {
          // dq is zero
        } else if (s.keys <= kFewKeys) {
          with_whole_groups<kFewKeys>(s.keys,
                                      [&]<int kKeys>() { gradients.template operator()<kKeys>(kKeys); });
        } else {
          gradients.template operator()<kTile>(rounded_up(s.keys));
        }
        store_rows(dq, rows(args.dq, args.dq_stride, s.q_begin, head), chunk + first,
                   min(kRows, queries - first));
      }
      __syncthreads();  // all of pd and ds is there
#pragma unroll 1
      for (int first = own_rows; first < s.keys; first += all_rows) {
        const int count = min(kRows, s.keys - first);
        RowTile<kWidth> dk, dv;
        if (add) {  // AT12
          dk = stored_rows<kWidth>(dk_rows, first, count);
          dv = stored_rows<kWidth>(dv_rows, first, count);
        }
#pragma unroll 1
        for (int query = 0; query < queries; query += kRows) {
          add_product_of_columns(pd + query * pitch + first, pitch, grad_o + query * kPitch, dv);  // AT8
          add_product_of_columns(ds + query * pitch + first, pitch, q + query * kPitch, dk);       // AT7
        }
        store_rows(dk, dk_rows, first, count);
        store_rows(dv, dv_rows, first, count);
      }
    }
  }
}

}  // namespace

template <typename T>
void backward_short(const AttentionBackwardArgs<T>& args) {
  with_head_width(args.Dh, [&]<int kWidth>() {
    const size_t bytes = backward_bytes<T, kWidth>(args.shape);
    check_shared_memory<T>(bytes, args.Dh);
    const dim3 threads(static_cast<unsigned>(backward_warps(args.Tq, args.B) * kWarp));
    cuda::dispatch_alignment(rows_are_aligned(args), [&](auto alignment) {
      cuda::launch(attention_short_backward<T, kWidth, decltype(alignment)>,
                   blocks(args.B, args.H / args.group), threads, bytes, cuda::stream(), args,
                   key_rows(args.shape));
    });
  });
}

template void backward_short(const AttentionBackwardArgs<float>&);
template void backward_short(const AttentionBackwardArgs<bf16>&);

}  // namespace xf::kernels::attention
