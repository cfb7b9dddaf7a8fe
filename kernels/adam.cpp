#include "kernels/adam.h"

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

void sum_of_squares(const Tensor& g, Out sum) {
  check_arguments(signature_of("sum_of_squares"), {&g, &sum});
  dispatch(g, [&]<typename T>(auto backend) {
    sum_of_squares(backend, SumOfSquaresArgs<T>{.g = g.data<T>(), .sum = sum.data<double>(), .P = g.numel()});
  });
}

void adam(const AdamOptions& options, const Tensor& step, float clip_norm, const Tensor& norm_squared, Out p,
          Out m, Out v, Out g, Out rounded) {
  check_arguments(signature_of("adam"), {&step, &norm_squared, &p, &m, &v, &g, &rounded});
  dispatch(p, [&]<typename T>(auto backend) {
    adam(backend, AdamArgs<T>{.options = options,
                              .step = step.data<float>(),
                              .clip_norm = clip_norm,
                              .norm_squared = norm_squared.data<double>(),
                              .p = p.data<T>(),
                              .m = m.data<T>(),
                              .v = v.data<T>(),
                              .g = g.data<T>(),
                              .rounded = data_or_null<bf16>(rounded),
                              .P = p.numel()});
  });
}

}  // namespace xf::kernels
