// Adam over flat parameter memory. Kingma, Ba 2015, arXiv:1412.6980, algorithm 1; decoupled weight
// decay: Loshchilov, Hutter 2019, arXiv:1711.05101. The scale of the loss (1/tokens), clipping by
// global norm, and the decision to skip an update with a NaN or infinite gradient are applied here,
// from device memory: no host needs to see the norm first.
#pragma once

#include "core/backend.h"
#include "core/tensor.h"

namespace xf::kernels {

// sum [1] written, f64 on the CPU: sum of g_i^2. g [P] f32 or f64. Fixed blocks, added in order.
void sum_of_squares(const Tensor& g, Out sum);

struct AdamOptions {  // of the update below
  float beta1 = 0.9f, beta2 = 0.98f, eps = 1e-8f;
  float weight_decay = 0;
  bool decoupled = true;  // false: L2, added to the gradient
};

// step f32 [4] in:  {learning rate, 1 - beta1^t, 1 - beta2^t, 1 / tokens}
// clip_norm: 0 = off, else the norm of the scaled gradient is cut to it
// norm_squared [1] in: sum_of_squares(g), of the unscaled gradient
//   scale = 1/tokens * min(1, clip_norm / (norm / tokens)),  g' = scale * g  (AD1)
//   m <- beta1 m + (1-beta1) g'  (AD2)        v <- beta2 v + (1-beta2) g'^2  (AD3)
//   p <- p - lr * (m / (1-beta1^t)) / (sqrt(v / (1-beta2^t)) + eps) - lr * weight_decay * p  (AD4)
// p, m, v [P] updated; g [P] zeroed. A norm that is not finite: p, m, v stay, g is zeroed. rounded
// bf16 [P] written: p for the products of the next step, rounded to nearest even; undefined where
// the model computes in p itself.
void adam(const AdamOptions& options, const Tensor& step, float clip_norm, const Tensor& norm_squared, Out p,
          Out m, Out v, Out g, Out rounded = Tensor());

template <typename T>
struct SumOfSquaresArgs {
  const T* g;
  double* sum;
  int64_t P;
};
template <typename T>
struct AdamArgs {
  AdamOptions options;
  const float* step;
  float clip_norm;
  const double* norm_squared;
  T *p, *m, *v, *g;
  bf16* rounded;
  int64_t P;
};
XF_BACKENDS(sum_of_squares, SumOfSquaresArgs);
XF_BACKENDS(adam, AdamArgs);

}  // namespace xf::kernels
