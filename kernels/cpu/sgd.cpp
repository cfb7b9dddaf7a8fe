// Gradient descent on the CPU: one trip through p, m and g (24 bytes per f32 parameter), bound by
// memory.
#include "kernels/sgd.h"

#include <cmath>

#include "kernels/cpu/element.h"
#include "kernels/cpu/parameter_blocks.h"

namespace xf::kernels {

template <typename T, CpuLevel L>
void sgd(Cpu<L>, const SgdArgs<T>& args) {
  const double norm = std::sqrt(*args.norm_squared) * static_cast<double>(args.step[1]);
  if (!std::isfinite(norm)) return zero_gradient(args.P, args.g);
  const auto scale = static_cast<T>(gradient_scale(norm, args.step[1], args.clip_norm));
  const T rate = args.step[0], momentum = args.options.momentum, decay = args.options.weight_decay;
  T *const p = args.p, *const m = args.m, *const g = args.g;
  for_each_block(args.P, [=, &args](int64_t, int64_t begin, int64_t end) {
  // SG1, SG2, SG3
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) {
      const T gradient = scale * g[i] + decay * p[i];
      m[i] = momentum * m[i] + gradient;
      p[i] -= rate * m[i];
      g[i] = T{0};
    }
    round_block(p, begin, end, args.rounded);
  });
}

template <>
void sgd(Cpu<kLevel>, const SgdArgs<bf16>&) {
  refuse_bf16("sgd");
}

template void sgd(Cpu<kLevel>, const SgdArgs<float>&);
template void sgd(Cpu<kLevel>, const SgdArgs<double>&);

}  // namespace xf::kernels
