// What the attention kernels read and write: sentences, rows of one head, dropout's choice of probabilities.
#pragma once

#include "core/cuda.h"
#include "kernels/cuda/attention_tile.cuh"

namespace xf::kernels::attention {

// One sentence: its queries are rows q_begin.. of q, its keys rows k_begin.. of k and v.
struct Sentence {
  int q_begin, queries, k_begin, keys;
};
__device__ __forceinline__ Sentence sentence_at(const int32_t* query_offsets, const int32_t* key_offsets,
                                                int64_t b) {
  const int q = query_offsets[b], k = key_offsets[b];
  return {q, query_offsets[b + 1] - q, k, key_offsets[b + 1] - k};
}

// How many of the sentence's keys a query sees: those from the first on.
__device__ __forceinline__ int keys_seen(const AttentionShape& shape, int keys, int query) {
  return shape.causal ? min(keys, query + 1) : keys;
}

// Rows of one head, read in place: row i is data + i * stride. aligned: rows begin at multiples of 16 bytes
// and are whole multiples of 16 bytes wide.
template <typename T>
struct HeadRows {
  T* data;
  int64_t stride;
  int width;
  bool aligned;
};
template <typename T>
__device__ __forceinline__ HeadRows<T> head_rows(T* x, int64_t stride, int64_t first, int head, int width,
                                                 bool aligned) {
  return {x + first * stride + static_cast<int64_t>(head) * width, stride, width, aligned};
}

// Whether HeadRows::aligned holds for all heads of a matrix; asked on the host.
template <typename T>
bool heads_are_aligned(const T* x, int64_t stride, int64_t Dh) {
  return cuda::rows_are_aligned(x, stride) && Dh * static_cast<int64_t>(sizeof(T)) % 16 == 0;
}

template <typename T>
bool rows_are_aligned(const AttentionForwardArgs<T>& args) {
  const auto aligned = [&](const T* x, int64_t stride) { return heads_are_aligned(x, stride, args.Dh); };
  return aligned(args.q, args.q_stride) && aligned(args.k, args.k_stride) && aligned(args.v, args.v_stride) &&
         aligned(args.o, args.o_stride);
}
template <typename T>
bool rows_are_aligned(const AttentionBackwardArgs<T>& args) {
  const auto aligned = [&](const T* x, int64_t stride) { return heads_are_aligned(x, stride, args.Dh); };
  return aligned(args.q, args.q_stride) && aligned(args.k, args.k_stride) && aligned(args.v, args.v_stride) &&
         aligned(args.grad_o, args.grad_o_stride) && aligned(args.dq, args.dq_stride) &&
         aligned(args.dk, args.dk_stride) && aligned(args.dv, args.dv_stride);
}

// Rows first .. first + count - 1 to shared memory, and zeros in the rows up to `padded` and in the columns
// up to kWidth: no sum needs a mask against them. Thread `thread` of `threads` does its part; the copies are
// there after copy_async_wait and a barrier.
template <int kWidth, typename T>
__device__ __forceinline__ void load_rows(const HeadRows<const T>& from, int first, int count, int padded,
                                          int thread, int threads, T* shared) {
  constexpr int kPitch = attention::kPitch<T, kWidth>, kStep = 16 / static_cast<int>(sizeof(T));
  const T* const begin = from.data + first * from.stride;
  if (from.aligned) {
    for (int i = thread; i < padded * (kWidth / kStep); i += threads) {
      const int row = i / (kWidth / kStep), column = i % (kWidth / kStep) * kStep;
      const bool inside = row < count && column < from.width;
      cuda::copy_async_16(shared + row * kPitch + column,
                          inside ? begin + row * from.stride + column : from.data, inside);
    }
  } else {
    for (int i = thread; i < padded * kWidth; i += threads) {
      const int row = i / kWidth, column = i % kWidth;
      const bool inside = row < count && column < from.width;
      shared[row * kPitch + column] = inside ? begin[row * from.stride + column] : from_float<T>(0.0f);
    }
  }
}

// Rows first .. first + count - 1 of a tile's 16, written, or added to what stands there.
template <int kWidth, typename T>
__device__ __forceinline__ void store_rows(const RowTile<kWidth>& sums, const HeadRows<T>& to, int first,
                                           int count, bool add = false) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = tile_row(2 * half);
    if (row >= count) continue;
    T* const out = to.data + (first + row) * to.stride;
#pragma unroll
    for (int n = 0; n < kWidth / 8; n += 2) {
      const float(&even)[4] = sums.at[n], (&odd)[4] = sums.at[n + 1];
      const int e = 2 * half, column = sum_column<T>(n, 0), next = sum_column<T>(n + 1, 0);
      if (to.aligned && !add) {
        if constexpr (std::is_same_v<T, float>) {
          if (column < to.width) {
            cuda::store_16(out + column, make_uint4(__float_as_uint(even[e]), __float_as_uint(even[e + 1]),
                                                    __float_as_uint(odd[e]), __float_as_uint(odd[e + 1])));
          }
        } else {
          if (column < to.width)
            *reinterpret_cast<uint32_t*>(out + column) = cuda::pack_bf16x2(even[e], even[e + 1]);
          if (next < to.width)
            *reinterpret_cast<uint32_t*>(out + next) = cuda::pack_bf16x2(odd[e], odd[e + 1]);
        }
        continue;
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const auto store = [&](int at, float value) {
          if (at < to.width) out[at] = from_float<T>(add ? to_float(out[at]) + value : value);
        };
        store(column + i, even[e + i]);
        store(next + i, odd[e + i]);
      }
    }
  }
}

// Zeros in rows begin .. end - 1 of x [.., D]: spare rows. Block `block` of `blocks` does its part.
template <typename T>
__device__ __forceinline__ void clear_rows(T* x, int64_t stride, int64_t begin, int64_t end, int64_t D,
                                           int64_t block, int64_t blocks) {
  for (int64_t row = begin + block; row < end; row += blocks) {
    for (int64_t column = threadIdx.x; column < D; column += blockDim.x)
      x[row * stride + column] = from_float<T>(0.0f);
  }
}
constexpr int kClearingBlocks = 16;  // spare rows are few

// Dropout's choice in a tile of queries and up to 64 keys: a byte for four keys, bit k of keep[kQuads * i +
// j] for query i and key 4 j + k.
constexpr int kQuads = kTile / 4;

// Done by one warp for the 16 queries from token `first_row` on and the `keys` keys from first_key on, a
// multiple of 4, of their sentence.
__device__ __forceinline__ void draw_keep(const DropoutArgs& dropout, int first_row, int head, int first_key,
                                          int keys, uint8_t* keep) {
  const int lane = lane_index(), query = lane % kRows;
  for (int quad = lane / kRows; 4 * quad < rounded_up(keys); quad += kWarp / kRows) {
    const Philox four =
        dropout.words((static_cast<uint32_t>(head) << 14) + static_cast<uint32_t>(first_key / 4 + quad),
                      static_cast<uint32_t>(first_row + query));
    uint32_t bits = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) bits = bits >> 1 | (four.x[k] >= dropout.threshold ? 8u : 0u);
    keep[kQuads * query + quad] = static_cast<uint8_t>(bits);
  }
}

// What dropout multiplies a probability by: 0 or `scale`. keep: null without dropout.
__device__ __forceinline__ float keep_factor(const uint8_t* keep, float scale, int query, int key) {
  if (!keep) return 1.0f;
  return (keep[kQuads * query + key / 4] >> (key % 4) & 1) != 0 ? scale : 0.0f;
}

constexpr int64_t kWidestHead = 128;
inline void check_head_width(int64_t Dh) {
  XF_CHECK(Dh <= kWidestHead, "attention: heads may be {} columns wide on CUDA, got {}; use more heads",
           kWidestHead, Dh);
}

// Refuses what does not fit into a block's shared memory on this device: heads of up to 64 columns do
// everywhere.
template <typename T>
void check_shared_memory(size_t bytes, int64_t Dh) {
  const int64_t most = cuda::most_shared_memory();
  XF_CHECK(
      static_cast<int64_t>(bytes) <= most,
      "attention: heads of {} columns in {} need {} bytes of shared memory, and this device has {}; use more "
      "heads, so that each has at most 64 columns",
      Dh, std::is_same_v<T, float> ? "float32" : "bfloat16", bytes, most);
}

// body.operator()<kWidth>() for the smallest width that heads of Dh columns fit into.
template <typename Body>
void with_head_width(int64_t Dh, const Body& body) {
  check_head_width(Dh);
  if (Dh <= 32) return body.template operator()<32>();
  if (Dh <= 64) return body.template operator()<64>();
  return body.template operator()<128>();
}

template <typename T>
void forward_short(const AttentionForwardArgs<T>&);
template <typename T>
void forward_long(const AttentionForwardArgs<T>&);
template <typename T>
void backward_short(const AttentionBackwardArgs<T>&);
template <typename T>
void backward_long(const AttentionBackwardArgs<T>&);

}  // namespace xf::kernels::attention
