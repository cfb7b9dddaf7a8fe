// Element types of the CUDA backend, float and bf16, and their loads and stores, 16 bytes at a time where a
// row allows.
#pragma once

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

// As many elements as 16 bytes hold, as floats.
template <typename T>
struct Pack {
  static constexpr int kCount = 16 / static_cast<int>(sizeof(T));  // 4 floats, 8 bf16
  float x[kCount];

  // From p on; `left` elements are there (kCount or more: a full pack), the rest of x is `fill`.
  // aligned: p is a multiple of 16; without it elements are read one by one.
  __device__ __forceinline__ static Pack load(const T* p, int64_t left, bool aligned, float fill = 0.0f,
                                              Site site = XF_HERE) {
    Pack pack;
    if (aligned && left >= kCount) {
      pack.unpack(load_16(p, site));
    } else {
#pragma unroll
      for (int i = 0; i < kCount; ++i) pack.x[i] = i < left ? to_float(p[i]) : fill;
    }
    return pack;
  }

  // The first `left` elements, rounded to T.
  __device__ __forceinline__ void store(T* p, int64_t left, bool aligned, Site site = XF_HERE) const {
    if (aligned && left >= kCount) {
      store_16(p, packed(), site);
    } else {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        if (i < left) p[i] = from_float<T>(x[i]);
      }
    }
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

// Whether Pack::load and store may be told `aligned` at every kCount-th element of every row: the base and
// the distance of rows, `stride` elements, are multiples of 16 bytes. The same for the whole grid: ask on the
// host.
template <typename T>
inline bool rows_are_aligned(const T* base, int64_t stride) {
  return reinterpret_cast<uintptr_t>(base) % 16 == 0 && stride * static_cast<int64_t>(sizeof(T)) % 16 == 0;
}

}  // namespace xf::cuda
