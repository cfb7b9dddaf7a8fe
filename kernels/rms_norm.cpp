#include "kernels/rms_norm.h"

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

void rms_norm_forward(const Tensor& x, const Tensor& gamma, float eps, Out y, Out rstd) {
  const int64_t N = x.rows(), D = x.width();
  check_arguments(signature_of("rms_norm_forward"), {&x, &gamma, &y, &rstd});
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
  check_arguments(signature_of("rms_norm_backward"), {&dy, &x, &gamma, &rstd, &dx, &dgamma});
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
