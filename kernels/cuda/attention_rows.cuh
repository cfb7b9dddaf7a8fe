// What the attention kernels read and write: sentences, rows of one head, dropout's choice of
// probabilities.
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

// Rows of one head, read in place: row i is data + i * stride. Aligned: rows begin at multiples of
// 16 bytes and are whole multiples of 16 bytes wide; kernels are compiled for such and for any.
template <typename T, typename Alignment>
struct HeadRows {
  T* data;
  int64_t stride;
  int width;
};
template <typename Alignment, typename T>
__device__ __forceinline__ HeadRows<T, Alignment> head_rows(T* x, int64_t stride, int64_t first, int head,
                                                            int64_t width) {
  return {x + first * stride + head * width, stride, static_cast<int>(width)};
}

// Whether all heads of a matrix are rows of whole packs; asked on the host.
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

// Rows first .. first + count - 1 to shared memory, and zeros in the rows up to `padded` and in the
// columns up to kWidth: no sum needs a mask against them. Thread `thread` of `threads` does its
// part; the copies are there after copy_async_wait and a barrier.
template <int kWidth, typename T, typename Alignment>
__device__ __forceinline__ void load_rows(const HeadRows<const T, Alignment>& from, int first, int count,
                                          int padded, int thread, int threads, T* shared) {
  constexpr int kPitch = attention::kPitch<T, kWidth>, kPack = 16 / static_cast<int>(sizeof(T)),
                kPacks = kWidth / kPack;
  const T* const begin = from.data + first * from.stride;
  if constexpr (Alignment::value) {
    static_assert(kWarp % kPacks == 0);  // a thread stays in its columns
    const int column = thread % kPacks * kPack;
    for (int row = thread / kPacks; row < padded; row += threads / kPacks) {
      const bool inside = row < count && column < from.width;
      cuda::copy_async_16(shared + row * kPitch + column,
                          inside ? begin + row * from.stride + column : from.data, inside);
    }
  } else {
#pragma unroll 1
    for (int i = thread; i < padded * kWidth; i += threads) {
      const int row = i / kWidth, column = i % kWidth;
      const bool inside = row < count && column < from.width;
      shared[row * kPitch + column] = inside ? begin[row * from.stride + column] : from_float<T>(0.0f);
    }
  }
}

// In a tile of bf16 sums a lane has of each 16 columns of a row two pairs, in different blocks of
// eight. It swaps one with its neighbour, so that it has four columns in a row, from quad_column()
// on, and four lanes together a whole sector of memory, 32 bytes (with half sectors, the backward
// pass took half as long again on an H200). Twice is back again.
__device__ __forceinline__ uint2 swapped_pairs(uint32_t left, uint32_t right) {
  const bool second = lane_index() % 2 == 1;
  const uint32_t other = __shfl_xor_sync(cuda::kFullWarp, second ? left : right, 1);
  return second ? make_uint2(other, right) : make_uint2(left, other);
}
__device__ __forceinline__ int quad_column() { return 8 * (lane_index() % 2) + 4 * (lane_index() % 4 / 2); }

// Rows first .. first + count - 1 of a tile's 16, written by the warp as a whole.
template <int kWidth, typename T, typename Alignment>
__device__ __forceinline__ void store_rows(const RowTile<kWidth>& sums, const HeadRows<T, Alignment>& to,
                                           int first, int count) {
  constexpr bool kQuads = Alignment::value && !std::is_same_v<T, float>;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int e = 2 * half;
    [[maybe_unused]] uint2 quads[kWidth / 16];
    if constexpr (kQuads) {  // by all lanes, also those that store nothing
#pragma unroll
      for (int i = 0; i < kWidth / 16; ++i) {
        const float(&even)[4] = sums.at[2 * i], (&odd)[4] = sums.at[2 * i + 1];
        quads[i] =
            swapped_pairs(cuda::pack_bf16x2(even[e], even[e + 1]), cuda::pack_bf16x2(odd[e], odd[e + 1]));
      }
    }
    const int row = tile_row(e);
    if (row >= count) continue;
    T* const out = to.data + (first + row) * to.stride;
#pragma unroll
    for (int n = 0; n < kWidth / 8; n += 2) {
      const float(&even)[4] = sums.at[n], (&odd)[4] = sums.at[n + 1];
      if constexpr (kQuads) {
        const int column = 8 * n + quad_column();
        if (column < to.width) *reinterpret_cast<uint2*>(out + column) = quads[n / 2];
      } else if constexpr (Alignment::value) {
        const int column = sum_column<T>(n, 0);
        if (column < to.width) {
          cuda::store_16(out + column, make_uint4(__float_as_uint(even[e]), __float_as_uint(even[e + 1]),
                                                  __float_as_uint(odd[e]), __float_as_uint(odd[e + 1])));
        }
      } else {
#pragma unroll
        for (int i = e; i < e + 2; ++i) {
          const int column = sum_column<T>(n, i), next = sum_column<T>(n + 1, i);
          if (column < to.width) out[column] = from_float<T>(even[i]);
          if (next < to.width) out[next] = from_float<T>(odd[i]);
        }
      }
    }
  }
}

// The reverse: a tile of what store_rows wrote, where each lane reads what it wrote, and zeros in
// rows and columns that are not there.
template <int kWidth, typename T, typename Alignment>
__device__ __forceinline__ RowTile<kWidth> stored_rows(const HeadRows<T, Alignment>& from, int first,
                                                       int count) {
  RowTile<kWidth> sums;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = tile_row(2 * half), e = 2 * half;
    const T* const in = from.data + (first + row) * from.stride;
    const auto there = [&](int column) { return row < count && column < from.width; };
#pragma unroll
    for (int n = 0; n < kWidth / 8; n += 2) {
      float(&even)[4] = sums.at[n], (&odd)[4] = sums.at[n + 1];
      if constexpr (!Alignment::value) {
#pragma unroll
        for (int i = e; i < e + 2; ++i) {
          const int column = sum_column<T>(n, i), next = sum_column<T>(n + 1, i);
          if (there(column)) even[i] = to_float(in[column]);
          if (there(next)) odd[i] = to_float(in[next]);
        }
      } else if constexpr (std::is_same_v<T, float>) {
        const int column = sum_column<T>(n, 0);
        const float4 four = there(column) ? load_float4(in + column) : make_float4(0, 0, 0, 0);
        even[e] = four.x, even[e + 1] = four.y, odd[e] = four.z, odd[e + 1] = four.w;
      } else {
        const int column = 8 * n + quad_column();
        uint2 quad = make_uint2(0, 0);
        if (there(column)) quad = *reinterpret_cast<const uint2*>(in + column);
        const uint2 pairs = swapped_pairs(quad.x, quad.y);
        const float2 left = cuda::unpack_bf16x2(pairs.x), right = cuda::unpack_bf16x2(pairs.y);
        even[e] = left.x, even[e + 1] = left.y, odd[e] = right.x, odd[e + 1] = right.y;
      }
    }
  }
  return sums;
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

// Dropout's choice in a warp's tile of scores, 16 queries by up to 64 keys: what multiplies
// at[n][e], 0 or `scale`. Without dropout all are kept, and scale is 1.
struct Kept {
  uint32_t bits = ~0u;  // bit 4 n + e
  float scale = 1;
  __device__ __forceinline__ float factor(int n, int e) const {
    return (bits >> (4 * n + e) & 1) != 0 ? scale : 0.0f;
  }
};

// Bit k: whether key 4 quad + k of query `row` of a head is kept.
__device__ __forceinline__ uint32_t kept_of_quad(const DropoutArgs& dropout, int head, int quad, int row) {
  const Philox four = dropout.words((static_cast<uint32_t>(head) << 14) + static_cast<uint32_t>(quad),
                                    static_cast<uint32_t>(row));
  uint32_t bits = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) bits = bits >> 1 | (four.x[k] >= dropout.threshold ? 8u : 0u);
  return bits;
}

// Of the 16 queries from token `first_row` on and `keys` keys from first_key on, a multiple of 4,
// of their sentence. Four keys are drawn at once, and lanes of a row share them: each draws its
// part, and they exchange them.
template <typename T>
__device__ __forceinline__ Kept kept_scores(const DropoutArgs& dropout, int first_row, int head,
                                            int first_key, int keys) {
  if (!dropout.active()) return {};
  constexpr bool kFloat = std::is_same_v<T, float>;
  // A block of eight columns has two quads. bf16: a lane has a half of one of them, f32 a key of
  // both (score_column).
  const int place = lane_index() % 4, half = kFloat ? place / 2 : place % 2,
            second = kFloat ? place % 2 : place / 2;
  uint32_t drawn = 0;
#pragma unroll 2
  for (int n = 0; 8 * n < keys; ++n) {
    drawn |= kept_of_quad(dropout, head, first_key / 4 + 2 * n + second, first_row + tile_row(2 * half))
             << (4 * n);
  }
  Kept kept{0, dropout.scale};
  if constexpr (kFloat) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const uint32_t of_quad = __shfl_sync(cuda::kFullWarp, drawn, lane_index() / 4 * 4 + e);
      kept.bits |= (of_quad >> place & 0x11111111u) << e;
    }
  } else {
    const uint32_t other = __shfl_xor_sync(cuda::kFullWarp, drawn, 1);
    const int shift = 2 * (place % 2);
    kept.bits = ((half == 0 ? drawn : other) >> shift & 0x33333333u) |
                ((half == 0 ? other : drawn) >> shift & 0x33333333u) << 2;
  }
  return kept;
}

constexpr int64_t kWidestHead = 128;
inline void check_head_width(int64_t Dh) {
  XF_CHECK(Dh <= kWidestHead, "attention: heads may be {} columns wide on CUDA, got {}; use more heads",
           kWidestHead, Dh);
}

// Refuses what does not fit into a block's shared memory on this device: heads of up to 64 columns
// do everywhere.
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
