#include "kernels/residual_norm.h"

#include "core/dispatch.h"
#include "kernels/checks.h"

namespace xf::kernels {

void residual_norm_forward(const Tensor& x, const Tensor& s, const Dropout& dropout, const Tensor& gamma,
                           const Tensor& beta, float eps, Out sum, Out y, Out mean, Out rstd) {
  const int64_t N = x.rows(), D = x.width();
  for (const Tensor* t : {&x, &s, &sum, &y}) check_contiguous(*t, "residual_norm: x, s, sum and y");
  check_shape(s, x.shape(), "residual_norm: s");
  check_shape(gamma, {D}, "residual_norm: gamma");
  check_shape(beta, {D}, "residual_norm: beta");
  check_shape(sum, x.shape(), "residual_norm: sum");
  check_shape(y, x.shape(), "residual_norm: y");
  check_shape(mean, {N}, "residual_norm: mean");
  check_shape(rstd, {N}, "residual_norm: rstd");
  check_dtype(mean, accumulator_of(x.dtype()), "residual_norm: mean");
  check_dtype(rstd, accumulator_of(x.dtype()), "residual_norm: rstd");
  check_same_dtype("residual_norm", {&x, &s, &gamma, &beta, &sum, &y});
  check_same_device("residual_norm", {&x, &s, &gamma, &beta, &sum, &y, &mean, &rstd});
  if (x.numel() == 0) return;
  dispatch(x, [&]<typename T>(auto backend) {
    residual_norm_forward(backend, ResidualNormForwardArgs<T>{.x = x.data<T>(),
                                                              .s = s.data<T>(),
                                                              .gamma = gamma.data<T>(),
                                                              .beta = beta.data<T>(),
                                                              .sum = sum.data<T>(),
                                                              .y = y.data<T>(),
                                                              .mean = mean.data<Acc<T>>(),
                                                              .rstd = rstd.data<Acc<T>>(),
                                                              .N = N,
                                                              .D = D,
                                                              .eps = eps,
                                                              .dropout = dropout_args(dropout)});
  });
}

void residual_norm_backward(const Tensor& dy, const Tensor& dsum, const Tensor& sum, const Tensor& gamma,
                            const Tensor& mean, const Tensor& rstd, const Dropout& dropout, Out dx, Out ds,
                            Out dgamma, Out dbeta) {
  const int64_t N = sum.rows(), D = sum.width();
  for (const Tensor* t : {&dy, &sum, &dx, &ds})
    check_contiguous(*t, "residual_norm_backward: dy, sum, dx and ds");
  check_shape(dy, sum.shape(), "residual_norm_backward: dy");
  if (dsum.defined()) {
    check_contiguous(dsum, "residual_norm_backward: dsum");
    check_shape(dsum, sum.shape(), "residual_norm_backward: dsum");
  }
  check_shape(gamma, {D}, "residual_norm_backward: gamma");
  check_shape(mean, {N}, "residual_norm_backward: mean");
  check_shape(rstd, {N}, "residual_norm_backward: rstd");
  check_shape(dx, sum.shape(), "residual_norm_backward: dx");
  check_shape(ds, sum.shape(), "residual_norm_backward: ds");
  check_shape(dgamma, {D}, "residual_norm_backward: dgamma");
  check_shape(dbeta, {D}, "residual_norm_backward: dbeta");
  check_dtype(mean, accumulator_of(sum.dtype()), "residual_norm_backward: mean");
  check_dtype(rstd, accumulator_of(sum.dtype()), "residual_norm_backward: rstd");
  check_accumulates("residual_norm_backward", sum.dtype(), {&dgamma, &dbeta});
  check_same_dtype("residual_norm_backward", {&sum, &dy, &dsum, &gamma, &dx, &ds});
  check_same_device("residual_norm_backward",
                    {&sum, &dy, &dsum, &gamma, &mean, &rstd, &dx, &ds, &dgamma, &dbeta});
  if (sum.numel() == 0) return;
  dispatch(sum, [&]<typename T>(auto backend) {
    const DropoutArgs mask = dropout_args(dropout);
    XF_CHECK(!mask.active() || ds.raw() != dx.raw(), "residual_norm_backward: ds must not be dx when p > 0");
    residual_norm_backward(backend, ResidualNormBackwardArgs<T>{.dy = dy.data<T>(),
                                                                .dsum = data_or_null<T>(dsum),
                                                                .sum = sum.data<T>(),
                                                                .gamma = gamma.data<T>(),
                                                                .mean = mean.data<Acc<T>>(),
                                                                .rstd = rstd.data<Acc<T>>(),
                                                                .dx = dx.data<T>(),
                                                                .ds = ds.data<T>(),
                                                                .dgamma = dgamma.data<Acc<T>>(),
                                                                .dbeta = dbeta.data<Acc<T>>(),
                                                                .N = N,
                                                                .D = D,
                                                                .dropout = mask});
  });
}

}  // namespace xf::kernels
