// Gradient descent on CUDA: 24 bytes a parameter (p, m, g in and out), 26 with the rounded copy
// (parameter_update.cuh).
#include "kernels/sgd.h"

#include "kernels/cuda/parameter_update.cuh"

namespace xf::kernels {

namespace {

struct SgdRule {
  static constexpr int kMoments = 1;
  struct Update {
    bool finite;
    float scale, rate, momentum, decay;
  };
  SgdOptions options;
  const float* step;
  const double* norm_squared;
  float clip_norm;

  __device__ Update prepare() const {
    const GradientScale scale = gradient_scale(norm_squared, step[1], clip_norm);
    return {scale.finite, scale.factor, step[0], options.momentum, options.weight_decay};
  }

  // SG1, SG2, SG3
  static __device__ __forceinline__ void apply(const Update& u, const Floats& g, Floats& p, Floats* moments) {
    Floats& m = moments[0];
#pragma unroll
    for (int j = 0; j < Floats::kCount; ++j) {
      const float gradient = fmaf(u.scale, g.x[j], u.decay * p.x[j]);
      m.x[j] = fmaf(u.momentum, m.x[j], gradient);
      p.x[j] = fmaf(-u.rate, m.x[j], p.x[j]);
    }
  }
};

}  // namespace

template <typename T>
void sgd(Cuda, const SgdArgs<T>& args) {
  if constexpr (std::is_same_v<T, float>) {
    launch_update(SgdRule{args.options, args.step, args.norm_squared, args.clip_norm},
                  {args.p, args.g, {args.m}, args.rounded, args.P});
  } else {
    refuse_bf16("sgd");
  }
}

XF_INSTANTIATE(sgd, SgdArgs);

}  // namespace xf::kernels
