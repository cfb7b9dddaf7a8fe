// Compositions of matmul.h, activation.h and elementwise.h, and the offers to a backend that may do
// better.
#include "kernels/linear.h"

#include "core/dispatch.h"
#include "kernels/elementwise.h"
#include "kernels/signature.h"

namespace xf::kernels {

namespace {

bool forward_at_once(const Tensor& x, const Tensor& w, const Tensor& bias, bool relu, Out y) {
  if (x.numel() == 0 || w.numel() == 0) return false;
  bool done = false;
  dispatch(x, [&]<typename T>(auto backend) {
    done = linear_forward_at_once(backend, LinearForwardArgs<T>{.x = x.data<T>(),
                                                                .w = w.data<T>(),
                                                                .bias = bias.data<T>(),
                                                                .y = y.data<T>(),
                                                                .N = x.rows(),
                                                                .K = x.width(),
                                                                .M = w.rows(),
                                                                .x_stride = x.row_stride(),
                                                                .w_stride = w.row_stride(),
                                                                .y_stride = y.row_stride(),
                                                                .relu = relu});
  });
  return done;
}

bool backward_weight_at_once(const Tensor& dy, const Tensor& x, Accumulate accumulate, Out dw, Out dbias) {
  if (x.numel() == 0 || dw.numel() == 0) return false;
  bool done = false;
  dispatch(dy, [&]<typename T>(auto backend) {
    done = linear_backward_weight_at_once(
        backend, LinearBackwardWeightArgs<T>{.dy = dy.data<T>(),
                                             .x = x.data<T>(),
                                             .dw = dw.data<Acc<T>>(),
                                             .dbias = dbias.data<Acc<T>>(),
                                             .N = x.rows(),
                                             .K = x.width(),
                                             .M = dw.rows(),
                                             .dy_stride = dy.row_stride(),
                                             .x_stride = x.row_stride(),
                                             .dw_stride = dw.row_stride(),
                                             .accumulate = accumulate == Accumulate::yes});
  });
  return done;
}

}  // namespace

void linear_forward(const Tensor& x, const Tensor& w, const Tensor& bias, Out y) {
  check_arguments(signature_of("linear_forward"), {&x, &w, &bias, &y});
  if (bias.defined() && forward_at_once(x, w, bias, false, y)) return;
  matmul(x, Transpose::no, w, Transpose::yes, Accumulate::no, y);
  if (bias.defined()) add_bias(bias, y);
}

void linear_activation_forward(const Tensor& x, const Tensor& w, const Tensor& bias, Activation activation,
                               const Dropout& dropout, Out pre, Out a) {
  XF_CHECK(pre.defined() == keeps_input(activation), "linear_activation: pre must {} for {}",
           keeps_input(activation) ? "be given" : "not be given", name_of(activation));
  check_arguments(signature_of("linear_activation_forward"), {&x, &w, &bias, &dropout.counter, &pre, &a});
  // Gelu stays a step of its own: cuBLASLt's is the approximation with tanh, ours is exact. It has
  // no swish.
  if (activation == Activation::relu && dropout.p == 0 && forward_at_once(x, w, bias, true, a)) return;
  const Tensor& product = pre.defined() ? pre : a;
  matmul(x, Transpose::no, w, Transpose::yes, Accumulate::no, product);
  bias_activation_forward(product, bias, activation, dropout, a);
}

void linear_backward_input(const Tensor& dy, const Tensor& w, Accumulate accumulate, Out dx) {
  check_arguments(signature_of("linear_backward_input"), {&dy, &w, &dx});
  matmul(dy, Transpose::no, w, Transpose::no, accumulate, dx);
}

void linear_backward_weight(const Tensor& dy, const Tensor& x, Accumulate accumulate, Out dw, Out dbias) {
  check_arguments(signature_of("linear_backward_weight"), {&dy, &x, &dw, &dbias});
  if (dbias.defined() && backward_weight_at_once(dy, x, accumulate, dw, dbias)) return;
  matmul(dy, Transpose::yes, x, Transpose::no, accumulate, dw);
  if (!dbias.defined()) return;
  if (accumulate == Accumulate::no) dbias.fill_zero();
  sum_rows(dy, dbias);
}

// Never at once: cuBLASLt's gradient of relu reads a mask of bits, which neither dropout nor our
// saved tensor (a itself, which is there anyway) would leave; its gelu is the other one, and swish
// it has not.
void linear_activation_backward_input(const Tensor& dy, const Tensor& w2, const Tensor& saved,
                                      const Tensor& bias, Activation activation, const Dropout& dropout,
                                      Out dpre, Out dbias) {
  check_arguments(signature_of("linear_activation_backward_input"),
                  {&dy, &w2, &saved, &bias, &dropout.counter, &dpre, &dbias});
  matmul(dy, Transpose::no, w2, Transpose::no, Accumulate::no, dpre);
  bias_activation_backward(dpre, saved, bias, activation, dropout, dpre, dbias);
}

}  // namespace xf::kernels
