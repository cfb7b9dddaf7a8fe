// Bias, pointwise non-linearity and dropout in one pass: a = dropout(f(x + bias))  (AC0).
//   relu: f(z) = max(0, z)  (AC1)
//   gelu: f(z) = z Phi(z)  (AC3), Hendrycks, Gimpel 2016, arXiv:1606.08415 (exact form, with erf)
//   swish: f(z) = z sigmoid(z)  (AC7), Ramachandran, Zoph, Le 2017, arXiv:1710.05941; also called
//   SiLU
#pragma once

#include <array>
#include <type_traits>

#include "core/backend.h"
#include "core/tensor.h"
#include "kernels/dropout.h"

namespace xf::kernels {

enum class Activation { relu, gelu, swish };
inline constexpr std::array kActivations{Activation::relu, Activation::gelu, Activation::swish};

constexpr const char* name_of(Activation f) {
  return f == Activation::relu ? "relu" : f == Activation::gelu ? "gelu" : "swish";
}
// Whether backward reads x; relu's reads a, which says as much.
constexpr bool keeps_input(Activation f) { return f != Activation::relu; }

// body(f), with f as a constant of the compiler's, so that a loop in body holds no choice.
template <typename Body>
decltype(auto) with_constant(Activation f, const Body& body) {
  if (f == Activation::relu) return body(std::integral_constant<Activation, Activation::relu>{});
  if (f == Activation::gelu) return body(std::integral_constant<Activation, Activation::gelu>{});
  return body(std::integral_constant<Activation, Activation::swish>{});
}

// x [N, F] in; bias [F] in; a [N, F] written, may be x unless keeps_input.
void bias_activation_forward(const Tensor& x, const Tensor& bias, Activation activation,
                             const Dropout& dropout, Out a);

// da [N, F] in; saved [N, F] in: x where keeps_input, a for relu (a > 0 says both "active" and
// "kept").
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
XF_BACKENDS(bias_activation_forward, BiasActivationForwardArgs);
XF_BACKENDS(bias_activation_backward, BiasActivationBackwardArgs);

}  // namespace xf::kernels
