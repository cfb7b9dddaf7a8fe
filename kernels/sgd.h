// Gradient descent with momentum over flat parameter memory. Polyak 1964, USSR Comput. Math. Math.
// Phys. 4(5), in the form that PyTorch has, with the rate outside of the momentum. As in
// kernels/adam.h, whose sum_of_squares it is given, the scale of the loss, clipping and skipping
// are applied here, from device memory.
#pragma once

#include "core/backend.h"
#include "core/tensor.h"

namespace xf::kernels {

struct SgdOptions {
  float momentum = 0;
  float weight_decay = 0;  // L2, added to the gradient
};

// step f32 [2] in:  {learning rate, 1 / tokens}
// clip_norm: 0 = off, else the norm of the scaled gradient is cut to it
// norm_squared [1] in: sum_of_squares(g), of the unscaled gradient
//   scale = 1/tokens * min(1, clip_norm / (norm / tokens)),  g' = scale * g + weight_decay * p
//   (SG1)
//   m <- momentum m + g'  (SG2)        p <- p - lr * m  (SG3)
// p, m [P] updated; g [P] zeroed. A norm that is not finite: p, m stay, g is zeroed. rounded bf16
// [P] written: p for the products of the next step, rounded to nearest even; undefined where the
// model computes in p itself.
void sgd(const SgdOptions& options, const Tensor& step, float clip_norm, const Tensor& norm_squared, Out p,
         Out m, Out g, Out rounded = Tensor());

template <typename T>
struct SgdArgs {
  SgdOptions options;
  const float* step;
  float clip_norm;
  const double* norm_squared;
  T *p, *m, *g;
  bf16* rounded;
  int64_t P;
};
XF_BACKENDS(sgd, SgdArgs);

}  // namespace xf::kernels
