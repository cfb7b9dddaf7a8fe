// Rotary positions on CUDA, bound by memory: 2e bytes an element, e = 4 or 2; the table comes out
// of the cache. A row of the walk (rows.cuh) is a token's first halves, H * P pairs wide, so that a
// warp's lanes are busy whatever the width of a head: a lane takes a pack of pairs, both halves of
// it. y may be x: a lane reads its pairs before it writes them.
#include "kernels/rotary.h"

#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

namespace {

// RO1, RO2 of one pair, rounded alike wherever it is inlined.
__device__ __forceinline__ void turn(float& first, float& second, float cosine, float sine) {
  const float x = first;
  first = fmaf(x, cosine, -cuda::product(second, sine));
  second = fmaf(x, sine, cuda::product(second, cosine));
}

template <typename T>
struct Turn {
  static constexpr int kCount = cuda::Vec16<T>::kCount;
  using Floats = cuda::Vec16<float>;
  RotaryArgs<T> args;
  bool aligned;  // rows of x, y and the table begin at multiples of 16 bytes

  bool rows_aligned(int64_t) const { return aligned && args.P % kCount == 0; }

  // Pair `pair` of a token's H * P: its first column in x and y, and its number in its head.
  struct Place {
    int64_t column, i;
  };
  __device__ __forceinline__ Place place(int64_t pair) const {
    const uint32_t P = static_cast<uint32_t>(args.P), head = static_cast<uint32_t>(pair) / P;
    const int64_t i = static_cast<uint32_t>(pair) - head * P;
    return {int64_t{head} * 2 * args.P + i, i};
  }
  __device__ __forceinline__ const float* angles(int64_t token, int64_t i) const {
    return args.table + args.positions[token] * 2 * args.P + i;
  }
  __device__ void operator()(int64_t token, int64_t pair, int64_t left, cuda::Aligned alignment) const {
    const Place at = place(pair);
    const T* const x = args.x + token * args.x_stride + at.column;
    T* const y = args.y + token * args.y_stride + at.column;
    const float* const cosines = angles(token, at.i);
    auto first = cuda::Vec16<T>::load(x, left, alignment),
         second = cuda::Vec16<T>::load(x + args.P, left, alignment);
#pragma unroll
    for (int k = 0; k < kCount; k += Floats::kCount) {
      const auto cosine = Floats::load(cosines + k, left, alignment),
                 sine = Floats::load(cosines + args.P + k, left, alignment);
#pragma unroll
      for (int i = 0; i < Floats::kCount; ++i)
        turn(first.x[k + i], second.x[k + i], cosine.x[i], args.direction * sine.x[i]);
    }
    first.store(y, left, alignment);
    second.store(y + args.P, left, alignment);
  }
  __device__ void operator()(int64_t token, int64_t pair, int64_t left, cuda::Unaligned) const {
    for (int k = 0; k < kCount && k < left; ++k) {
      const Place at = place(pair + k);
      const T* const x = args.x + token * args.x_stride + at.column;
      T* const y = args.y + token * args.y_stride + at.column;
      const float* const cosine = angles(token, at.i);
      float first = cuda::to_float(x[0]), second = cuda::to_float(x[args.P]);
      turn(first, second, cosine[0], args.direction * cosine[args.P]);
      y[0] = cuda::from_float<T>(first);
      y[args.P] = cuda::from_float<T>(second);
    }
  }
};

}  // namespace

template <typename T>
void rotary(Cuda, const RotaryArgs<T>& args) {
  const bool aligned = cuda::rows_are_aligned(args.x, args.x_stride) &&
                       cuda::rows_are_aligned(args.y, args.y_stride) &&
                       cuda::rows_are_aligned(args.table, 2 * args.P);
  for_each_pack<T>(args.tokens, args.H * args.P, Turn<T>{args, aligned});
}

XF_INSTANTIATE(rotary, RotaryArgs);

}  // namespace xf::kernels
