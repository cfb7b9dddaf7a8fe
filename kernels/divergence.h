// How far two passes over the same tokens disagree: the term of R-Drop, Liang et al. 2021, arXiv:2106.14448, equation 2.
//   z [2N, V] logits in, rows n and n + N of one token; bias [V] added to each row, or undefined; rows may lie apart, those
//   of dz as those of z
//   p = softmax(z_n), q = softmax(z_{n+N}), d = z_n - z_{n+N}
//   J_n = KL(p || q) + KL(q || p) = sum_v (p_v - q_v) d_v                        (SD1)   derivation: docs/derivations/divergence.md
//   targets i32 [N]: a pair whose target is ignore_id counts nothing
//   loss [1] accumulated, Acc<T>: weight * sum_n J_n, in nats
//   dz [2N, V] written: weight * dJ_n/dz, and 0 for a pair that does not count    (SD2, SD3)
// Pairs are summed in blocks of a constant size, in order.
#pragma once

#include "core/backend.h"
#include "core/tensor.h"

namespace xf::kernels {

struct Divergence {
  float weight = 1;
  int32_t ignore_id = -1;
};

void divergence(const Tensor& z, const Tensor& bias, const Tensor& targets, const Divergence& options,
                Out loss, Out dz);

template <typename T>
struct DivergenceArgs {
  const T *z, *bias;  // bias may be null
  T* dz;
  const int32_t* targets;
  Acc<T>* loss;
  int64_t N, V, stride;  // elements from row to row, of z and of dz
  Divergence options;
};
template <typename T, CpuLevel L>
void divergence(Cpu<L>, const DivergenceArgs<T>&);
template <typename T>
void divergence(Cuda, const DivergenceArgs<T>&);

}  // namespace xf::kernels
