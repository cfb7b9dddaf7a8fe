// What optimisers share on CUDA, bound by memory: one launch over flat f32 arrays. A parameter is
// an f32 master, and so are its moments and its gradient; bf16 is only what is rounded for the
// products. A thread takes two packs of four parameters, a block's width apart, so that a warp
// reads and writes whole lines: neighbouring lanes, neighbouring packs. One thread of a block
// computes what all parameters share.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/cuda.h"
#include "kernels/cuda/elements.cuh"

namespace xf::kernels {

using Floats = cuda::Vec16<float>;

constexpr int kUpdateThreads = 256;
constexpr int kPacks = 2;  // of a thread, of each array
constexpr int64_t kRow = kUpdateThreads * Floats::kCount, kOfBlock = kPacks * kRow;  // parameters

// The factor of the gradient: 1 / tokens, and what clipping leaves of it. Not finite: the update is
// skipped.
struct GradientScale {
  bool finite;
  float factor;
};
__device__ __forceinline__ GradientScale gradient_scale(const double* norm_squared, float per_token,
                                                        float clip_norm) {
  const double norm = sqrt(*norm_squared) * static_cast<double>(per_token), limit = clip_norm;
  const double clip = limit > 0 && norm > limit ? limit / norm : 1.0;
  return {std::isfinite(norm), static_cast<float>(per_token * clip)};
}

// Arrays of P. rounded: null where the model computes in p.
template <int kMoments>
struct ParameterArrays {
  float *p, *g;
  float* moments[kMoments];
  bf16* rounded;
  int64_t P;

  bool rows_aligned() const {
    return P % Floats::kCount == 0 && cuda::rows_are_aligned(p, 0) && cuda::rows_are_aligned(g, 0) &&
           cuda::rows_are_aligned(rounded, 0) &&
           std::all_of(moments, moments + kMoments, [](float* m) { return cuda::rows_are_aligned(m, 0); });
  }
};

// Four as bf16, eight bytes.
__device__ __forceinline__ void store_rounded(const Floats& pack, bf16* to, int64_t left, cuda::Aligned) {
  if (left <= 0) return;
  *reinterpret_cast<uint2*>(to) =
      make_uint2(cuda::pack_bf16x2(pack.x[0], pack.x[1]), cuda::pack_bf16x2(pack.x[2], pack.x[3]));
}
__device__ __forceinline__ void store_rounded(const Floats& pack, bf16* to, int64_t left, cuda::Unaligned) {
#pragma unroll
  for (int i = 0; i < Floats::kCount; ++i) {
    if (i < left) to[i] = cuda::from_float<bf16>(pack.x[i]);
  }
}

// Rule::Update: what all parameters share, with `finite`. Rule::prepare() -> Update, while the
// parameters are on their way. Rule::apply(update, g, p, moments): four parameters. g is zeroed.
template <typename Rule, typename Alignment>
__global__ void __launch_bounds__(kUpdateThreads)
    update_parameters(Rule rule, ParameterArrays<Rule::kMoments> of, Alignment alignment) {
  XF_SHARED(typename Rule::Update, update);
  const int64_t first = blockIdx.x * kOfBlock + threadIdx.x * Floats::kCount;
  Floats g[kPacks], p[kPacks], moments[kPacks][Rule::kMoments];
#pragma unroll
  for (int half = 0; half < kPacks; ++half) {
    const int64_t at = first + half * kRow, left = of.P - at;
    g[half] = Floats::load(of.g + at, left, alignment);
    p[half] = Floats::load(of.p + at, left, alignment);
#pragma unroll
    for (int k = 0; k < Rule::kMoments; ++k)
      moments[half][k] = Floats::load(of.moments[k] + at, left, alignment);
  }
  if (threadIdx.x == 0) update = rule.prepare();
  __syncthreads();
  const typename Rule::Update u = update;
#pragma unroll
  for (int half = 0; half < kPacks; ++half) {
    const int64_t at = first + half * kRow, left = of.P - at;
    Floats{}.store(of.g + at, left, alignment);
    if (!u.finite) continue;
    Rule::apply(u, g[half], p[half], moments[half]);
    p[half].store(of.p + at, left, alignment);
#pragma unroll
    for (int k = 0; k < Rule::kMoments; ++k) moments[half][k].store(of.moments[k] + at, left, alignment);
    if (of.rounded) store_rounded(p[half], of.rounded + at, left, alignment);
  }
}

template <typename Rule>
void launch_update(const Rule& rule, const ParameterArrays<Rule::kMoments>& of) {
  const auto blocks = static_cast<unsigned>((of.P + kOfBlock - 1) / kOfBlock);
  cuda::dispatch_alignment(of.rows_aligned(), [&](auto alignment) {
    cuda::launch(update_parameters<Rule, decltype(alignment)>, dim3(blocks), dim3(kUpdateThreads), 0,
                 cuda::stream(), rule, of, alignment);
  });
}

[[noreturn]] inline void refuse_bf16(const char* op) {
  fail(ErrorKind::failure, "{}: parameters and their gradients must be f32 on CUDA, got bf16", op);
}

}  // namespace xf::kernels
