#include "kernels/layer_norm.h"

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

void layer_norm_forward(const Tensor& x, const Tensor& gamma, const Tensor& beta, float eps, Out y, Out mean,
                        Out rstd) {
  const int64_t N = x.rows(), D = x.width();
  check_arguments(signature_of("layer_norm_forward"), {&x, &gamma, &beta, &y, &mean, &rstd});
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
  check_arguments(signature_of("layer_norm_backward"), {&dy, &x, &gamma, &mean, &rstd, &dx, &dgamma, &dbeta});
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
