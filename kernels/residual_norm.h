// Residual connection, dropout and layer normalisation in one pass. Vaswani et al. 2017,
// arXiv:1706.03762, 5.4:
//   sum = x + dropout(s)  (RN0),   y = layer_norm(sum)
// Post-norm uses y alone; pre-norm carries `sum` on and feeds y to the next sublayer, whose gamma
// and beta these are.
//   x, s [N, D], gamma [D], beta [D] in
//   sum, y [N, D]        written; sum is kept for backward and may be s, not x
//   mean, rstd [N]       written, Acc<T>
#pragma once

#include "kernels/layer_norm.h"

namespace xf::kernels {

void residual_norm_forward(const Tensor& x, const Tensor& s, const Dropout& dropout, const Tensor& gamma,
                           const Tensor& beta, float eps, Out sum, Out y, Out mean, Out rstd);

// With dLN the layer norm's input gradient (LN5) and dsum the gradient that reaches `sum` from
// elsewhere, undefined for post-norm:
//   dx     [N, D]  written       dLN(dy) + dsum                       (RN1)  may be dy or dsum
//   ds     [N, D]  written       dx * mask / (1-p)                    (RN2)  may be dx when p = 0
//   dgamma, dbeta [D] accumulated as in layer_norm.h
void residual_norm_backward(const Tensor& dy, const Tensor& dsum, const Tensor& sum, const Tensor& gamma,
                            const Tensor& mean, const Tensor& rstd, const Dropout& dropout, Out dx, Out ds,
                            Out dgamma, Out dbeta);

XF_BACKENDS(residual_norm_forward, LayerNormForwardArgs);
XF_BACKENDS(residual_norm_backward, LayerNormBackwardArgs);

}  // namespace xf::kernels
