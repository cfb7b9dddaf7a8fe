// Masked softmax over the last axis of attention scores.
//   p_j = exp(s_j - top) / sum_k exp(s_k - top),  top = max over the keys that may be attended
//   (SM1) s, p [B, H, Sq, Sk]  p written, may be s
// A key j of query i in sentence b may be attended iff all of these hold (docs/notation.md):
//   j < lengths[b]                       lengths i32 [B], undefined = Sk for all
//   j <= i                               when causal
//   mask[b, i, j] != 0                   mask i32 [B, Sq, Sk], undefined = all ones
// Other keys get p = 0. A row without any key is all zero, never NaN.
#pragma once

#include "core/backend.h"
#include "core/tensor.h"

namespace xf::kernels {

struct SoftmaxMask {
  Tensor lengths;
  bool causal = false;
  Tensor mask;
};

void softmax_forward(const Tensor& s, const SoftmaxMask& mask, Out p);

// ds_j = p_j (dp_j - sum_k p_k dp_k)  (SM3)   [B, H, Sq, Sk] written, may be dp.  p = 0 where masked makes ds = 0.
// derivation: docs/derivations/softmax.md
void softmax_backward(const Tensor& dp, const Tensor& p, Out ds);

template <typename T>
struct SoftmaxForwardArgs {
  const T* s;
  T* p;
  int64_t B, H, Sq, Sk;
  const int32_t *lengths, *mask;
  bool causal;
};
template <typename T>
struct SoftmaxBackwardArgs {
  const T *dp, *p;
  T* ds;
  int64_t N, D;
};
XF_BACKENDS(softmax_forward, SoftmaxForwardArgs);
XF_BACKENDS(softmax_backward, SoftmaxBackwardArgs);

}  // namespace xf::kernels
