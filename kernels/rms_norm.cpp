#include "kernels/rms_norm.h"

#include "core/dispatch.h"
#include "kernels/checks.h"

namespace xf::kernels {

void rms_norm_forward(const Tensor& x, const Tensor& gamma, float eps, Out y, Out rstd) {
  const int64_t N = x.rows(), D = x.width();
  check_contiguous(x, "rms_norm: x");
  check_contiguous(y, "rms_norm: y");
  check_shape(gamma, {D}, "rms_norm: gamma");
  check_shape(y, x.shape(), "rms_norm: y");
  check_shape(rstd, {N}, "rms_norm: rstd");
  check_dtype(rstd, accumulator_of(x.dtype()), "rms_norm: rstd");
  check_same_dtype("rms_norm", {&x, &gamma, &y});
  check_same_device("rms_norm", {&x, &gamma, &y, &rstd});
  if (x.numel() == 0) return;
  dispatch(x, [&]<typename T>(auto backend) {
    rms_norm_forward(backend, RmsNormForwardArgs<T>{.x = x.data<T>(),
                                                    .gamma = gamma.data<T>(),
                                                    .y = y.data<T>(),
                                                    .rstd = rstd.data<Acc<T>>(),
                                                    .N = N,
                                                    .D = D,
                                                    .eps = eps});
  });
}

void rms_norm_backward(const Tensor& dy, const Tensor& x, const Tensor& gamma, const Tensor& rstd, Out dx,
                       Out dgamma) {
  const int64_t N = x.rows(), D = x.width();
  check_contiguous(x, "rms_norm_backward: x");
  check_contiguous(dy, "rms_norm_backward: dy");
  check_contiguous(dx, "rms_norm_backward: dx");
  check_shape(dy, x.shape(), "rms_norm_backward: dy");
  check_shape(gamma, {D}, "rms_norm_backward: gamma");
  check_shape(rstd, {N}, "rms_norm_backward: rstd");
  check_shape(dx, x.shape(), "rms_norm_backward: dx");
  check_shape(dgamma, {D}, "rms_norm_backward: dgamma");
  check_dtype(rstd, accumulator_of(x.dtype()), "rms_norm_backward: rstd");
  check_accumulates("rms_norm_backward", x.dtype(), {&dgamma});
  check_same_dtype("rms_norm_backward", {&x, &dy, &gamma, &dx});
  check_same_device("rms_norm_backward", {&x, &dy, &gamma, &rstd, &dx, &dgamma});
  if (x.numel() == 0) return;
  dispatch(x, [&]<typename T>(auto backend) {
    rms_norm_backward(backend, RmsNormBackwardArgs<T>{.dy = dy.data<T>(),
                                                      .x = x.data<T>(),
                                                      .gamma = gamma.data<T>(),
                                                      .rstd = rstd.data<Acc<T>>(),
                                                      .dx = dx.data<T>(),
                                                      .dgamma = dgamma.data<Acc<T>>(),
                                                      .N = N,
                                                      .D = D});
  });
}

}  // namespace xf::kernels
