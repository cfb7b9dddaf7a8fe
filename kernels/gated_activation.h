// A gated activation: one projection's columns, through a non-linearity, say how much of another's
// pass.
//   y = f(gate) * up, element by element  (GA0);  f of kernels/activation.h
//   with relu ReGLU, gelu GEGLU, swish SwiGLU: Shazeer 2020, arXiv:2002.05202, section 2
//   gate, up [N, F]  in; each may be a view of some columns of a fused projection
//   y [N, F]         written, a view too; may be gate or up if no backward follows
#pragma once

#include "kernels/activation.h"

namespace xf::kernels {

void gated_activation_forward(const Tensor& gate, const Tensor& up, Activation activation, Out y);

//   dgate [N, F] written, may be gate   dy * up * f'(gate)  (GA1)    derivation: docs/derivations/gated_activation.md
//   dup   [N, F] written, may be up     dy * f(gate)        (GA2)
// Views too. Nothing is kept but the two inputs: f is computed again.
void gated_activation_backward(const Tensor& dy, const Tensor& gate, const Tensor& up, Activation activation,
                               Out dgate, Out dup);

template <typename T>
struct GatedActivationForwardArgs {
  const T *gate, *up;
  T* y;
  int64_t N, F, gate_stride, up_stride, y_stride;
  Activation activation;
};
template <typename T>
struct GatedActivationBackwardArgs {
  const T *dy, *gate, *up;
  T *dgate, *dup;
  int64_t N, F, dy_stride, gate_stride, up_stride, dgate_stride, dup_stride;
  Activation activation;
};
XF_BACKENDS(gated_activation_forward, GatedActivationForwardArgs);
XF_BACKENDS(gated_activation_backward, GatedActivationBackwardArgs);

}  // namespace xf::kernels
