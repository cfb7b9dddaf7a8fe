// Layer normalisation over the last axis. Ba, Kiros, Hinton 2016, arXiv:1607.06450, section 3.
//   xhat = (x - mean) * rstd,  y = gamma * xhat + beta  (LN0)    variance is biased (divide by D), in two passes
//   x [N, D], gamma [D], beta [D] in
//   y [N, D]              written, may be x only if no backward follows
//   mean [N], rstd [N]    written, Acc<T>; kept for backward, which recomputes xhat from them
#pragma once

#include "kernels/dropout.h"

namespace xf::kernels {

void layer_norm_forward(const Tensor& x, const Tensor& gamma, const Tensor& beta, float eps, Out y, Out mean,
                        Out rstd);

// With g = dy * gamma and <.> the mean over D:            derivation: docs/derivations/layer_norm.md
//   dx     [N, D]  written       rstd * (g - <g> - xhat * <g * xhat>)  (LN5)
//   dgamma [D]     accumulated   sum_n dy * xhat, Acc<T>               (LN2)
//   dbeta  [D]     accumulated   sum_n dy, Acc<T>                      (LN1)
// Deterministic: column sums in fixed blocks of rows, added in order.
void layer_norm_backward(const Tensor& dy, const Tensor& x, const Tensor& gamma, const Tensor& mean,
                         const Tensor& rstd, Out dx, Out dgamma, Out dbeta);

// What the backends of residual_norm get as well. Of layer_norm they have no s, sum, dsum and ds,
// and no dropout.
template <typename T>
struct LayerNormForwardArgs {
  const T *x, *s = nullptr, *gamma, *beta;
  T *sum = nullptr, *y;
  Acc<T>*mean, *rstd;
  int64_t N, D;
  float eps;
  DropoutArgs dropout = {};
};
template <typename T>
struct LayerNormBackwardArgs {
  const T *dy, *dsum = nullptr, *x, *gamma;  // x: of residual_norm its sum
  const Acc<T>*mean, *rstd;
  T *dx, *ds = nullptr;
  Acc<T>*dgamma, *dbeta;
  int64_t N, D;
  DropoutArgs dropout = {};
};
XF_BACKENDS(layer_norm_forward, LayerNormForwardArgs);
XF_BACKENDS(layer_norm_backward, LayerNormBackwardArgs);

}  // namespace xf::kernels
