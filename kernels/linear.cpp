// Compositions of matmul.h, activation.h and elementwise.h, which check shapes and types themselves.
#include "kernels/linear.h"

#include "kernels/elementwise.h"

namespace xf::kernels {

void linear_forward(const Tensor& x, const Tensor& w, const Tensor& bias, Out y) {
  matmul(x, Transpose::no, w, Transpose::yes, Accumulate::no, y);
  if (bias.defined()) add_bias(bias, y);
}

void linear_activation_forward(const Tensor& x, const Tensor& w, const Tensor& bias, Activation activation,
                               const Dropout& dropout, Out pre, Out a) {
  XF_CHECK(pre.defined() == (activation == Activation::gelu),
           "linear_activation: pre is kept for gelu, and only for it");
  const Tensor& product = pre.defined() ? pre : a;
  matmul(x, Transpose::no, w, Transpose::yes, Accumulate::no, product);
  bias_activation_forward(product, bias, activation, dropout, a);
}

void linear_backward_input(const Tensor& dy, const Tensor& w, Accumulate accumulate, Out dx) {
  matmul(dy, Transpose::no, w, Transpose::no, accumulate, dx);
}

void linear_backward_weight(const Tensor& dy, const Tensor& x, Out dw, Out dbias) {
  matmul(dy, Transpose::yes, x, Transpose::no, Accumulate::yes, dw);
  if (dbias.defined()) sum_rows(dy, dbias);
}

void linear_activation_backward_input(const Tensor& dy, const Tensor& w2, const Tensor& saved,
                                      const Tensor& bias, Activation activation, const Dropout& dropout,
                                      Out dpre, Out dbias) {
  matmul(dy, Transpose::no, w2, Transpose::no, Accumulate::no, dpre);
  bias_activation_backward(dpre, saved, bias, activation, dropout, dpre, dbias);
}

}  // namespace xf::kernels
