// Adam on the CPU: one trip through p, m, v and g (32 bytes per f32 parameter), bound by memory.
#include "kernels/adam.h"

#include <cmath>
#include <vector>

#include "kernels/cpu/element.h"
#include "kernels/cpu/parameter_blocks.h"

namespace xf::kernels {

namespace {

template <typename T>
double square(const T* g, int64_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(g[i]) * static_cast<double>(g[i]);
  return sum;
}

// Everything of an update that all parameters share.
template <typename T>
struct Update {
  T scale, beta1, beta2, step_size, v_scale, eps, decay, l2;
};

template <typename T>
Update<T> prepare(const AdamArgs<T>& args, double norm) {
  const AdamOptions& options = args.options;
  const double learning_rate = args.step[0], correction1 = args.step[1], correction2 = args.step[2];
  const double decay = options.weight_decay;
  return {.scale = static_cast<T>(gradient_scale(norm, args.step[3], args.clip_norm)),
          .beta1 = options.beta1,
          .beta2 = options.beta2,
          .step_size = static_cast<T>(learning_rate / correction1),
          .v_scale = static_cast<T>(1 / std::sqrt(correction2)),
          .eps = options.eps,
          .decay = static_cast<T>(options.decoupled ? learning_rate * decay : 0.0),
          .l2 = static_cast<T>(options.decoupled ? 0.0 : decay)};
}

}  // namespace

template <typename T, CpuLevel L>
void sum_of_squares(Cpu<L>, const SumOfSquaresArgs<T>& args) {
  std::vector<double> partial(static_cast<size_t>((args.P + kBlock - 1) / kBlock));
  for_each_block(args.P, [&](int64_t block, int64_t begin, int64_t end) {
    partial[static_cast<size_t>(block)] = square(args.g + begin, end - begin);
  });
  double total = 0;
  for (const double sum : partial) total += sum;
  *args.sum = total;
}

template <typename T, CpuLevel L>
void adam(Cpu<L>, const AdamArgs<T>& args) {
  const double norm = std::sqrt(*args.norm_squared) * static_cast<double>(args.step[3]);
  if (!std::isfinite(norm)) return zero_gradient(args.P, args.g);
  const Update<T> u = prepare(args, norm);
  T *const p = args.p, *const m = args.m, *const v = args.v, *const g = args.g;
  for_each_block(args.P, [=, &args](int64_t, int64_t begin, int64_t end) {
  // AD1, AD2, AD3, AD4
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) {
      const T gradient = u.scale * g[i] + u.l2 * p[i];
      m[i] = u.beta1 * m[i] + (T{1} - u.beta1) * gradient;
      v[i] = u.beta2 * v[i] + (T{1} - u.beta2) * gradient * gradient;
      p[i] -= u.step_size * m[i] / (std::sqrt(v[i]) * u.v_scale + u.eps) + u.decay * p[i];
      g[i] = T{0};
    }
    round_block(p, begin, end, args.rounded);
  });
}

template <>
void sum_of_squares(Cpu<kLevel>, const SumOfSquaresArgs<bf16>&) {
  refuse_bf16("sum_of_squares");
}
template <>
void adam(Cpu<kLevel>, const AdamArgs<bf16>&) {
  refuse_bf16("adam");
}

template void sum_of_squares(Cpu<kLevel>, const SumOfSquaresArgs<float>&);
template void sum_of_squares(Cpu<kLevel>, const SumOfSquaresArgs<double>&);
template void adam(Cpu<kLevel>, const AdamArgs<float>&);
template void adam(Cpu<kLevel>, const AdamArgs<double>&);

}  // namespace xf::kernels
