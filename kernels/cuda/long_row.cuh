// A row of logits, walked by a block, or by one warp where it is short. It is read in packs of 16
// bytes that begin at multiples of 16 bytes, wherever the row begins (V is odd as often as not), so
// only its two ends are read element by element.
#pragma once

#include <limits>

#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/reduce.cuh"

namespace xf::kernels {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

constexpr int kLongRowThreads = 512;
constexpr int64_t kLongestShort = 1024;  // elements of a row that are left to a warp

// body(threads) with threads a constant: how many walk a row of V.
template <typename Body>
void with_row_threads(int64_t V, const Body& body) {
  if (V <= kLongestShort) {
    body(std::integral_constant<int, 32>{});
  } else {
    body(std::integral_constant<int, kLongRowThreads>{});
  }
}

// body(begin, left): elements begin .. begin + left - 1 of the row, left <= 4 (f32) or 8 (bf16),
// are this thread's.
template <int kThreads, typename T, typename Body>
__device__ __forceinline__ void for_each_pack_of_row(const T* row, int64_t V, const Body& body) {
  constexpr int64_t kCount = cuda::Vec16<T>::kCount;
  const auto before = static_cast<int64_t>(reinterpret_cast<uintptr_t>(row) % 16 / sizeof(T));
  for (int64_t end = (threadIdx.x + 1) * kCount - before; end - kCount < V; end += kThreads * kCount) {
    const int64_t begin = end > kCount ? end - kCount : 0;
    body(begin, (end < V ? end : V) - begin);
  }
}

// Whether element v of the row is among those of this thread.
template <int kThreads, typename T>
__device__ __forceinline__ bool owns(const T* row, int32_t v) {
  const auto before = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(row) % 16 / sizeof(T));
  return (static_cast<uint32_t>(v) + before) / cuda::Vec16<T>::kCount % kThreads == threadIdx.x;
}

__device__ __forceinline__ bool is_aligned(const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }

// sum = sum_v exp(x_v - largest), largest = max_v x_v, in one walk: what was summed is rescaled
// when a larger one comes. Milakov, Gimelshein 2018, arXiv:1805.02867, algorithm 3.
struct ExponentialSum {
  float largest = -kInfinity, sum = 0;

  template <typename T>
  __device__ __forceinline__ void add(const cuda::Vec16<T>& terms) {
    float top = largest;
#pragma unroll
    for (int i = 0; i < terms.kCount; ++i) top = terms.x[i] > top ? terms.x[i] : top;
    if (top > largest) {
      sum *= expf(largest - top);
      largest = top;
    }
    const float base = zero_at();
#pragma unroll
    for (int i = 0; i < terms.kCount; ++i) sum += expf(terms.x[i] - base);
  }

  // Over the block, result in every thread.
  template <int kThreads>
  __device__ __forceinline__ ExponentialSum of_block(cuda::Site site = XF_HERE) const {
    ExponentialSum total;
    total.largest = cuda::block_max<kThreads>(largest, site);
    total.sum = cuda::block_sum<kThreads>(sum * expf(largest - total.zero_at()), site);
    return total;
  }

 private:
  // -inf - -inf would be NaN.
  __device__ __forceinline__ float zero_at() const { return largest == -kInfinity ? 0.0f : largest; }
};

}  // namespace xf::kernels
