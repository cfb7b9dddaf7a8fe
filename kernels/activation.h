// Bias, pointwise non-linearity and dropout in one pass: a = dropout(f(x + bias))  (AC0).
//   relu: f(z) = max(0, z)  (AC1)
//   gelu: f(z) = z Phi(z)  (AC3), Hendrycks, Gimpel 2016, arXiv:1606.08415 (exact form, with erf)
#pragma once

#include "core/dispatch.h"
#include "kernels/dropout.h"

namespace xf::kernels {

enum class Activation { relu, gelu };

// x [N, F] in; bias [F] in; a [N, F] written, may be x for relu (whose backward needs a alone).
void bias_activation_forward(const Tensor& x, const Tensor& bias, Activation activation,
                             const Dropout& dropout, Out a);

// da [N, F] in; saved [N, F] in: a for relu (a > 0 says both "active" and "kept"), x for gelu.
//   dx    [N, F] written, may be da      da * mask / (1-p) * f'(x + bias)  (AC5)
//   dbias [F]    accumulated, Acc<T>     sum_n dx  (AC6)
void bias_activation_backward(const Tensor& da, const Tensor& saved, const Tensor& bias,
                              Activation activation, const Dropout& dropout, Out dx, Out dbias);

template <typename T>
struct BiasActivationForwardArgs {
  const T *x, *bias;
  T* a;
  int64_t N, F;
  Activation activation;
  DropoutArgs dropout;
};
template <typename T>
struct BiasActivationBackwardArgs {
  const T *da, *saved, *bias;
  T* dx;
  Acc<T>* dbias;
  int64_t N, F;
  Activation activation;
  DropoutArgs dropout;
};
template <typename T, CpuLevel L>
void bias_activation_forward(Cpu<L>, const BiasActivationForwardArgs<T>&);
template <typename T>
void bias_activation_forward(Cuda, const BiasActivationForwardArgs<T>&);
template <typename T, CpuLevel L>
void bias_activation_backward(Cpu<L>, const BiasActivationBackwardArgs<T>&);
template <typename T>
void bias_activation_backward(Cuda, const BiasActivationBackwardArgs<T>&);

}  // namespace xf::kernels
