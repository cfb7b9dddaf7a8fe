// Element types of the CUDA backend, float and bf16, and their loads and stores, 16 bytes at a time
// where a row allows.
#pragma once

#include <type_traits>

#include "kernels/cuda/portable.cuh"

namespace xf::cuda {

__device__ __forceinline__ float to_float(float x) { return x; }
__device__ __forceinline__ float to_float(bf16 x) {
  return __uint_as_float(static_cast<uint32_t>(x.bits) << 16);
}

// Rounded to nearest even.
template <typename T>
__device__ __forceinline__ T from_float(float x) {
  if constexpr (std::is_same_v<T, float>) {
    return x;
  } else {
    bf16 y;
    y.bits = static_cast<uint16_t>(pack_bf16x2(x, 0.0f));
    return y;
  }
}

// How a kernel reads and writes its packs, which it is compiled for. Aligned: each with one access,
// since all begin at multiples of 16 bytes and none is cut off by the end of its row. Unaligned:
// element by element. A choice at run time would put a branch before every load, and no load would
// begin before the last one had come.
using Aligned = std::true_type;
using Unaligned = std::false_type;
// Each with one access as well, as a row's last pack ends in the row's own padding; what is read
// there does not count, and what stands there is written over.
struct Padded {};

// f(Aligned()) or f(Unaligned()); on the host.
template <typename F>
void dispatch_alignment(bool aligned, const F& f) {
  if (aligned) {
    f(Aligned());
  } else {
    f(Unaligned());
  }
}

// As many elements as 16 bytes hold, as floats.
template <typename T>
struct Vec16 {
  static constexpr int kCount = 16 / static_cast<int>(sizeof(T));  // 4 floats, 8 bf16
  float x[kCount];

  // From p on; `left` elements are there (kCount or more: a full pack), the rest of x is `fill`.
  __device__ __forceinline__ static Vec16 load(const T* p, int64_t left, Aligned, Site site = XF_HERE) {
    uint4 words = make_uint4(0, 0, 0, 0);
    if (left > 0) words = load_16(p, site);
    Vec16 pack;
    pack.unpack(words);
    return pack;
  }
  __device__ __forceinline__ static Vec16 load(const T* p, int64_t left, Unaligned, float fill = 0.0f) {
    Vec16 pack;
#pragma unroll
    for (int i = 0; i < kCount; ++i) pack.x[i] = i < left ? to_float(p[i]) : fill;
    return pack;
  }
  __device__ __forceinline__ static Vec16 load(const T* p, int64_t left, Padded, float fill = 0.0f,
                                               Site site = XF_HERE) {
    uint4 words = make_uint4(0, 0, 0, 0);
    if (left > 0) words = load_16_of(p, left * static_cast<int64_t>(sizeof(T)), site);
    Vec16 pack;
    pack.unpack(words);
    if (left < kCount) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) pack.x[i] = i < left ? pack.x[i] : fill;
    }
    return pack;
  }
  // aligned: p is a multiple of 16.
  __device__ __forceinline__ static Vec16 load(const T* p, int64_t left, bool aligned, float fill = 0.0f,
                                               Site site = XF_HERE) {
    return aligned && left >= kCount ? load(p, left, Aligned(), site) : load(p, left, Unaligned(), fill);
  }

  // The first `left` elements, rounded to T.
  __device__ __forceinline__ void store(T* p, int64_t left, Aligned, Site site = XF_HERE) const {
    if (left > 0) store_16(p, packed(), site);
  }
  __device__ __forceinline__ void store(T* p, int64_t left, Padded, Site site = XF_HERE) const {
    store(p, left, Aligned(), site);
  }
  __device__ __forceinline__ void store(T* p, int64_t left, Unaligned) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (i < left) p[i] = from_float<T>(x[i]);
    }
  }
  __device__ __forceinline__ void store(T* p, int64_t left, bool aligned, Site site = XF_HERE) const {
    if (aligned && left >= kCount) return store(p, left, Aligned(), site);
    store(p, left, Unaligned());
  }

 private:
  __device__ __forceinline__ void unpack(uint4 v) {
    const uint32_t word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (kCount == 4) {
        x[i] = __uint_as_float(word[i]);
      } else {
        const float2 pair = unpack_bf16x2(word[i]);
        x[2 * i] = pair.x;
        x[2 * i + 1] = pair.y;
      }
    }
  }

  __device__ __forceinline__ uint4 packed() const {
    uint32_t word[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (kCount == 4) {
        word[i] = __float_as_uint(x[i]);
      } else {
        word[i] = pack_bf16x2(x[2 * i], x[2 * i + 1]);
      }
    }
    return make_uint4(word[0], word[1], word[2], word[3]);
  }
};

// Whether every kCount-th element of every row lies at a multiple of 16 bytes: the base and the
// distance of rows, `stride` elements, do. The packs are whole where the width is a multiple of
// kCount as well. The same for the whole grid: ask on the host.
template <typename T>
inline bool rows_are_aligned(const T* base, int64_t stride) {
  return reinterpret_cast<uintptr_t>(base) % 16 == 0 && stride * static_cast<int64_t>(sizeof(T)) % 16 == 0;
}

}  // namespace xf::cuda
