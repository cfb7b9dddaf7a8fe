// Root-mean-square normalisation over the last axis. Zhang, Sennrich 2019, arXiv:1910.07467,
// section 4.
//   y = gamma * xhat,  xhat = x * rstd,  rstd = 1 / sqrt(<x^2> + eps),  <.> the mean over D  (RM0)
//   x [N, D], gamma [D]  in
//   y [N, D]             written, may be x only if no backward follows
//   rstd [N]             written, Acc<T>; kept for backward, which recomputes xhat from it
#pragma once

#include "core/backend.h"
#include "core/tensor.h"

namespace xf::kernels {

void rms_norm_forward(const Tensor& x, const Tensor& gamma, float eps, Out y, Out rstd);

// With g = dy * gamma:                                   derivation: docs/derivations/rms_norm.md
//   dx     [N, D]  written, may be dy   rstd * (g - xhat * <g * xhat>)  (RM4)
//   dgamma [D]     accumulated, Acc<T>  sum_n dy * xhat                 (RM1)
// Deterministic: column sums in fixed blocks of rows, added in order.
void rms_norm_backward(const Tensor& dy, const Tensor& x, const Tensor& gamma, const Tensor& rstd, Out dx,
                       Out dgamma);

template <typename T>
struct RmsNormForwardArgs {
  const T *x, *gamma;
  T* y;
  Acc<T>* rstd;
  int64_t N, D;
  float eps;
};
template <typename T>
struct RmsNormBackwardArgs {
  const T *dy, *x, *gamma;
  const Acc<T>* rstd;
  T* dx;
  Acc<T>* dgamma;
  int64_t N, D;
};
XF_BACKENDS(rms_norm_forward, RmsNormForwardArgs);
XF_BACKENDS(rms_norm_backward, RmsNormBackwardArgs);

}  // namespace xf::kernels
