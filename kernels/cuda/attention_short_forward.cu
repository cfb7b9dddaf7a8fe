// Attention of sentences of up to 64 keys, forward (attention_short.cuh). A block is one warp, so
// that no warp waits for another and shared memory, which limits how many run on a multiprocessor,
// is given back as soon as a sentence is done.
#include "kernels/cuda/attention_short.cuh"

namespace xf::kernels::attention {

namespace {

// o of 16 queries from all of their keys, which are kKeys, in whole groups of 16; the rows of k and
// v past the last key are zero.
template <int kKeys, typename T, int kWidth>
__device__ __forceinline__ void query_outputs(const AttentionForwardArgs<T>& args, const Sentence& s,
                                              const T* k, const T* v, const T* q, int first, Kept kept,
                                              RowTile<kWidth>& o) {
  RowTile<kKeys> p;
  add_product_transposed<kWidth>(q, k, kKeys, p);
  const int seen[2] = {keys_seen(args.shape, s.keys, first + tile_row(0)),
                       keys_seen(args.shape, s.keys, first + tile_row(2))};
  float maximum[2] = {-INFINITY, -INFINITY}, sum[2] = {};
  exponentiate<T>(p, kKeys, seen, args.shape.scale, maximum, sum);
  const float inverse[2] = {1 / sum[0], 1 / sum[1]};
  for_each_score<T>(p, kKeys, [&](int n, int e, int) {  // AT1, AT2, AT3
    p.at[n][e] *= inverse[e / 2] * kept.factor(n, e);
  });
  add_product(p, v, kKeys, o);  // AT4
}

// Shared memory of a block: k, v [key_rows, kPitch], then 16 rows of q.
template <typename T, int kWidth>
size_t forward_bytes(const AttentionShape& shape) {
  const int rows = 2 * key_rows(shape) + kRows;
  return static_cast<size_t>(rows) * kPitch<T, kWidth> * sizeof(T);
}

template <typename T, int kWidth, typename Alignment>
__global__ void __launch_bounds__(kWarp)
    attention_short_forward(const AttentionForwardArgs<T> args, const int capacity) {
  constexpr int kPitch = attention::kPitch<T, kWidth>;
  XF_DYNAMIC_SHARED(bytes);
  T *const k = reinterpret_cast<T*>(bytes), *const v = k + capacity * kPitch,
           *const q = v + capacity * kPitch;
  const int heads = static_cast<int>(args.H), sentence = static_cast<int>(blockIdx.x) / heads;
  if (sentence >= args.B) {
    return clear_rows(args.o, args.o_stride, args.query_offsets[args.B], args.Tq, args.H * args.Dh,
                      blockIdx.x - args.B * args.H, kClearingBlocks);
  }
  const Sentence s = sentence_at(args.query_offsets, args.key_offsets, sentence);
  const int head = static_cast<int>(blockIdx.x) % heads, lane = lane_index();
  if (s.queries == 0) return;
  const int key_head = head / static_cast<int>(args.group);  // AT11
  const auto rows = [&](auto* x, int64_t stride, int begin, int of_head) {
    return head_rows<Alignment>(x, stride, begin, of_head, args.Dh);
  };
  load_rows<kWidth>(rows(args.k, args.k_stride, s.k_begin, key_head), 0, s.keys, rounded_up(s.keys), lane,
                    kWarp, k);
  load_rows<kWidth>(rows(args.v, args.v_stride, s.k_begin, key_head), 0, s.keys, rounded_up(s.keys), lane,
                    kWarp, v);
#pragma unroll 1
  for (int first = 0; first < s.queries; first += kRows) {
    const int count = min(kRows, s.queries - first);
    if (first > 0) __syncwarp();  // the previous 16 queries have been read
    load_rows<kWidth>(rows(args.q, args.q_stride, s.q_begin, head), first, count, kRows, lane, kWarp, q);
    cuda::copy_async_commit();
    const Kept kept = kept_scores<T>(args.dropout, s.q_begin + first, head, 0, s.keys);
    cuda::copy_async_wait<0>();
    __syncwarp();
    RowTile<kWidth> o;
    if (s.keys > 0) {
      with_whole_groups<kTile>(s.keys,
                               [&]<int kKeys>() { query_outputs<kKeys>(args, s, k, v, q, first, kept, o); });
    }
    store_rows(o, rows(args.o, args.o_stride, s.q_begin, head), first, count);
  }
}

}  // namespace

template <typename T>
void forward_short(const AttentionForwardArgs<T>& args) {
  with_head_width(args.Dh, [&]<int kWidth>() {
    const size_t bytes = forward_bytes<T, kWidth>(args.shape);
    check_shared_memory<T>(bytes, args.Dh);
    cuda::dispatch_alignment(rows_are_aligned(args), [&](auto alignment) {
      cuda::launch(attention_short_forward<T, kWidth, decltype(alignment)>, blocks(args.B, args.H),
                   dim3(kWarp), bytes, cuda::stream(), args, key_rows(args.shape));
    });
  });
}

template void forward_short(const AttentionForwardArgs<float>&);
template void forward_short(const AttentionForwardArgs<bf16>&);

}  // namespace xf::kernels::attention
