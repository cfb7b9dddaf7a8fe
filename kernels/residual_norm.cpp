#include "kernels/residual_norm.h"

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

void residual_norm_forward(const Tensor& x, const Tensor& s, const Dropout& dropout, const Tensor& gamma,
                           const Tensor& beta, float eps, Out sum, Out y, Out mean, Out rstd) {
  const int64_t N = x.rows(), D = x.width();
  check_arguments(signature_of("residual_norm_forward"),
                  {&x, &s, &dropout.counter, &gamma, &beta, &sum, &y, &mean, &rstd});
  if (x.numel() == 0) return;
  dispatch(x, [&]<typename T>(auto backend) {
    residual_norm_forward(backend, LayerNormForwardArgs<T>{.x = x.data<T>(),
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
  check_arguments(signature_of("residual_norm_backward"),
                  {&dy, &dsum, &sum, &gamma, &mean, &rstd, &dropout.counter, &dx, &ds, &dgamma, &dbeta});
  if (sum.numel() == 0) return;
  dispatch(sum, [&]<typename T>(auto backend) {
    const DropoutArgs mask = dropout_args(dropout);
    XF_CHECK(!mask.active() || ds.raw() != dx.raw(), "residual_norm_backward: ds must not be dx when p > 0");
    residual_norm_backward(backend, LayerNormBackwardArgs<T>{.dy = dy.data<T>(),
                                                             .dsum = data_or_null<T>(dsum),
                                                             .x = sum.data<T>(),
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
