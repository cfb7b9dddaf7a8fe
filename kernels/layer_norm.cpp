#include "kernels/layer_norm.h"

#include "core/dispatch.h"
#include "kernels/checks.h"

namespace xf::kernels {

void layer_norm_forward(const Tensor& x, const Tensor& gamma, const Tensor& beta, float eps, Out y, Out mean,
                        Out rstd) {
  const int64_t N = x.rows(), D = x.width();
  check_contiguous(x, "layer_norm: x");
  check_contiguous(y, "layer_norm: y");
  check_shape(gamma, {D}, "layer_norm: gamma");
  check_shape(beta, {D}, "layer_norm: beta");
  check_shape(y, x.shape(), "layer_norm: y");
  check_shape(mean, {N}, "layer_norm: mean");
  check_shape(rstd, {N}, "layer_norm: rstd");
  check_dtype(mean, accumulator_of(x.dtype()), "layer_norm: mean");
  check_dtype(rstd, accumulator_of(x.dtype()), "layer_norm: rstd");
  check_same_dtype("layer_norm", {&x, &gamma, &beta, &y});
  check_same_device("layer_norm", {&x, &gamma, &beta, &y, &mean, &rstd});
  if (x.numel() == 0) return;
  dispatch(x, [&]<typename T>(auto backend) {
    layer_norm_forward(backend, LayerNormForwardArgs<T>{.x = x.data<T>(),
                                                        .gamma = gamma.data<T>(),
                                                        .beta = beta.data<T>(),
                                                        .y = y.data<T>(),
                                                        .mean = mean.data<Acc<T>>(),
                                                        .rstd = rstd.data<Acc<T>>(),
                                                        .N = N,
                                                        .D = D,
                                                        .eps = eps});
  });
}

void layer_norm_backward(const Tensor& dy, const Tensor& x, const Tensor& gamma, const Tensor& mean,
                         const Tensor& rstd, Out dx, Out dgamma, Out dbeta) {
  const int64_t N = x.rows(), D = x.width();
  check_contiguous(x, "layer_norm_backward: x");
  check_contiguous(dy, "layer_norm_backward: dy");
  check_contiguous(dx, "layer_norm_backward: dx");
  check_shape(dy, x.shape(), "layer_norm_backward: dy");
  check_shape(gamma, {D}, "layer_norm_backward: gamma");
  check_shape(mean, {N}, "layer_norm_backward: mean");
  check_shape(rstd, {N}, "layer_norm_backward: rstd");
  check_shape(dx, x.shape(), "layer_norm_backward: dx");
  check_shape(dgamma, {D}, "layer_norm_backward: dgamma");
  check_shape(dbeta, {D}, "layer_norm_backward: dbeta");
  check_dtype(mean, accumulator_of(x.dtype()), "layer_norm_backward: mean");
  check_dtype(rstd, accumulator_of(x.dtype()), "layer_norm_backward: rstd");
  check_accumulates("layer_norm_backward", x.dtype(), {&dgamma, &dbeta});
  check_same_dtype("layer_norm_backward", {&x, &dy, &gamma, &dx});
  check_same_device("layer_norm_backward", {&x, &dy, &gamma, &mean, &rstd, &dx, &dgamma, &dbeta});
  if (x.numel() == 0) return;
  dispatch(x, [&]<typename T>(auto backend) {
    layer_norm_backward(backend, LayerNormBackwardArgs<T>{.dy = dy.data<T>(),
                                                          .x = x.data<T>(),
                                                          .gamma = gamma.data<T>(),
                                                          .mean = mean.data<Acc<T>>(),
                                                          .rstd = rstd.data<Acc<T>>(),
                                                          .dx = dx.data<T>(),
                                                          .dgamma = dgamma.data<Acc<T>>(),
                                                          .dbeta = dbeta.data<Acc<T>>(),
                                                          .N = N,
                                                          .D = D});
  });
}

}  // namespace xf::kernels
