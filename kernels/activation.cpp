#include "kernels/activation.h"

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

void bias_activation_forward(const Tensor& x, const Tensor& bias, Activation activation,
                             const Dropout& dropout, Out a) {
  const int64_t N = x.rows(), F = x.width();
  check_arguments(signature_of("bias_activation_forward"), {&x, &bias, &dropout.counter, &a});
  if (x.numel() == 0) return;
  dispatch(x, [&]<typename T>(auto backend) {
    bias_activation_forward(backend, BiasActivationForwardArgs<T>{.x = x.data<T>(),
                                                                  .bias = bias.data<T>(),
                                                                  .a = a.data<T>(),
                                                                  .N = N,
                                                                  .F = F,
                                                                  .activation = activation,
                                                                  .dropout = dropout_args(dropout)});
  });
}

void bias_activation_backward(const Tensor& da, const Tensor& saved, const Tensor& bias,
                              Activation activation, const Dropout& dropout, Out dx, Out dbias) {
  const int64_t N = da.rows(), F = da.width();
  check_arguments(signature_of("bias_activation_backward"),
                  {&da, &saved, &bias, &dropout.counter, &dx, &dbias});
  if (da.numel() == 0) return;
  dispatch(da, [&]<typename T>(auto backend) {
    bias_activation_backward(backend, BiasActivationBackwardArgs<T>{.da = da.data<T>(),
                                                                    .saved = saved.data<T>(),
                                                                    .bias = bias.data<T>(),
                                                                    .dx = dx.data<T>(),
                                                                    .dbias = dbias.data<Acc<T>>(),
                                                                    .N = N,
                                                                    .F = F,
                                                                    .activation = activation,
                                                                    .dropout = dropout_args(dropout)});
  });
}

}  // namespace xf::kernels
