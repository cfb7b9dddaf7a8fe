// Affine maps, y = x W^T + bias  (LI1), as products with their bias and activation passes attached.
// They are compositions of matmul.h, activation.h and elementwise.h; where a backend can do two
// steps at once (cuBLASLt's epilogues), it is asked first, and nothing above notices. W is [M, K]
// as in PyTorch.
#pragma once

#include "kernels/activation.h"
#include "kernels/matmul.h"

namespace xf::kernels {

// x [N, K], w [M, K], bias [M] or undefined;  y [N, M] written.
void linear_forward(const Tensor& x, const Tensor& w, const Tensor& bias, Out y);

// a = dropout(f(x W^T + bias)).  a [N, M] written;  pre [N, M] written where keeps_input(f) (x W^T,
// which backward needs), else undefined.
void linear_activation_forward(const Tensor& x, const Tensor& w, const Tensor& bias, Activation activation,
                               const Dropout& dropout, Out pre, Out a);

// Backward of y = x W^T + bias:
//   dx = dy W   (LI2)      [N, K] written or accumulated, as `accumulate` says
//   dw = dy^T x   (LI3)    [M, K] and
//   dbias = sum_n dy (LI4) [M]    written or accumulated, as `accumulate` says; dbias undefined
//                                 where there is no bias
void linear_backward_input(const Tensor& dy, const Tensor& w, Accumulate accumulate, Out dx);
void linear_backward_weight(const Tensor& dy, const Tensor& x, Accumulate accumulate, Out dw, Out dbias);

// Backward of a = dropout(f(h W1^T + bias)) followed by y = a W2^T, up to the pre-activation:
//   dpre [N, F] written  = (dy W2) * mask / (1-p) * f';   dbias [F] accumulated = sum_n dpre
// saved as in bias_activation_backward.
void linear_activation_backward_input(const Tensor& dy, const Tensor& w2, const Tensor& saved,
                                      const Tensor& bias, Activation activation, const Dropout& dropout,
                                      Out dpre, Out dbias);

// What a backend may take over: y = x W^T + bias, or with relu y = max(0, x W^T + bias); and the
// pair of gradients of linear_backward_weight. N, K, M >= 1. They return whether they did it; if
// not, nothing was done, and the steps follow one by one. The CPU does forward, of a few rows in
// f32 (oneDNN's sgemm has no epilogues), of any number in bf16.
template <typename T>
struct LinearForwardArgs {
  const T *x, *w, *bias;
  T* y;
  int64_t N, K, M, x_stride, w_stride, y_stride;
  bool relu;
};
// x W^T.
template <typename T>
MatmulArgs<T> product_of(const LinearForwardArgs<T>& args) {
  return {.a = args.x,
          .b = args.w,
          .c = args.y,
          .M = args.N,
          .N = args.M,
          .K = args.K,
          .a_stride = args.x_stride,
          .b_stride = args.w_stride,
          .c_stride = args.y_stride,
          .transpose_a = false,
          .transpose_b = true,
          .accumulate = false};
}
template <typename T>
struct LinearBackwardWeightArgs {
  const T *dy, *x;
  Acc<T>*dw, *dbias;
  int64_t N, K, M, dy_stride, x_stride, dw_stride;
  bool accumulate;
};
template <typename T, CpuLevel L>
bool linear_forward_at_once(Cpu<L>, const LinearForwardArgs<T>&);
template <typename T>
bool linear_forward_at_once(Cuda, const LinearForwardArgs<T>&);
template <typename T, CpuLevel L>
bool linear_backward_weight_at_once(Cpu<L>, const LinearBackwardWeightArgs<T>&) {
  return false;
}
template <typename T>
bool linear_backward_weight_at_once(Cuda, const LinearBackwardWeightArgs<T>&);

}  // namespace xf::kernels
