#include "kernels/sgd.h"

#include "core/dispatch.h"
#include "kernels/checks.h"

namespace xf::kernels {

void sgd(const SgdOptions& options, const Tensor& step, float clip_norm, const Tensor& norm_squared, Out p,
         Out m, Out g, Out rounded) {
  check_shape(step, {2}, "sgd: step");
  check_dtype(step, DType::f32, "sgd: step");
  check_shape(norm_squared, {1}, "sgd: norm_squared");
  check_dtype(norm_squared, DType::f64, "sgd: norm_squared");
  check_shape(m, p.shape(), "sgd: m");
  check_shape(g, p.shape(), "sgd: g");
  for (const Tensor* t : {&p, &m, &g}) check_contiguous(*t, "sgd: p, m and g");
  check_same_dtype("sgd", {&p, &m, &g});
  if (rounded.defined()) {
    check_shape(rounded, p.shape(), "sgd: rounded");
    check_contiguous(rounded, "sgd: rounded");
    check_dtype(rounded, DType::bf16, "sgd: rounded");
  }
  check_same_device("sgd", {&step, &norm_squared, &p, &m, &g, &rounded});
  dispatch(p, [&]<typename T>(auto backend) {
    sgd(backend, SgdArgs<T>{.options = options,
                            .step = step.data<float>(),
                            .clip_norm = clip_norm,
                            .norm_squared = norm_squared.data<double>(),
                            .p = p.data<T>(),
                            .m = m.data<T>(),
                            .g = g.data<T>(),
                            .rounded = data_or_null<bf16>(rounded),
                            .P = p.numel()});
  });
}

}  // namespace xf::kernels
