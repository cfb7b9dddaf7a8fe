#include "kernels/activation.h"

#include "core/dispatch.h"
#include "kernels/checks.h"

namespace xf::kernels {

void bias_activation_forward(const Tensor& x, const Tensor& bias, Activation activation,
                             const Dropout& dropout, Out a) {
  const int64_t N = x.rows(), F = x.width();
  check_contiguous(x, "bias_activation: x");
  check_contiguous(a, "bias_activation: a");
  check_shape(bias, {F}, "bias_activation: bias");
  check_shape(a, x.shape(), "bias_activation: a");
  check_same_dtype("bias_activation", {&x, &bias, &a});
  check_same_device("bias_activation", {&x, &bias, &a, &dropout.counter});
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
  check_contiguous(da, "bias_activation_backward: da");
  check_contiguous(saved, "bias_activation_backward: saved");
  check_contiguous(dx, "bias_activation_backward: dx");
  check_shape(saved, da.shape(), "bias_activation_backward: saved");
  check_shape(bias, {F}, "bias_activation_backward: bias");
  check_shape(dx, da.shape(), "bias_activation_backward: dx");
  check_shape(dbias, {F}, "bias_activation_backward: dbias");
  check_accumulates("bias_activation_backward", da.dtype(), {&dbias});
  check_same_dtype("bias_activation_backward", {&da, &saved, &bias, &dx});
  check_same_device("bias_activation_backward", {&da, &saved, &bias, &dx, &dbias, &dropout.counter});
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
