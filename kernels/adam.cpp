#include "kernels/adam.h"

#include "core/dispatch.h"
#include "kernels/checks.h"

namespace xf::kernels {

void sum_of_squares(const Tensor& g, Out sum) {
  check_contiguous(g, "sum_of_squares: g");
  check_shape(sum, {1}, "sum_of_squares: sum");
  check_dtype(sum, DType::f64, "sum_of_squares: sum");
  check_same_device("sum_of_squares", {&g, &sum});
  dispatch(g, [&]<typename T>(auto backend) {
    sum_of_squares(backend, SumOfSquaresArgs<T>{.g = g.data<T>(), .sum = sum.data<double>(), .P = g.numel()});
  });
}

void adam(const AdamOptions& options, const Tensor& step, float clip_norm, const Tensor& norm_squared, Out p,
          Out m, Out v, Out g, Out rounded) {
  check_shape(step, {4}, "adam: step");
  check_dtype(step, DType::f32, "adam: step");
  check_shape(norm_squared, {1}, "adam: norm_squared");
  check_dtype(norm_squared, DType::f64, "adam: norm_squared");
  check_shape(m, p.shape(), "adam: m");
  check_shape(v, p.shape(), "adam: v");
  check_shape(g, p.shape(), "adam: g");
  for (const Tensor* t : {&p, &m, &v, &g}) check_contiguous(*t, "adam: p, m, v and g");
  check_same_dtype("adam", {&p, &m, &v, &g});
  if (rounded.defined()) {
    check_shape(rounded, p.shape(), "adam: rounded");
    check_contiguous(rounded, "adam: rounded");
    check_dtype(rounded, DType::bf16, "adam: rounded");
  }
  check_same_device("adam", {&step, &norm_squared, &p, &m, &v, &g, &rounded});
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
