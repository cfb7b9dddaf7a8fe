// The loss of R-Drop, Liang et al. 2021, arXiv:2106.14448, equation 4: of two passes over the same
// tokens the cross-entropies
// (kernels/cross_entropy.h), and how far the passes disagree.         derivation: docs/derivations/r_drop.md
//   z [2N, V] logits in, rows n and n + N of one token; bias [V] added to each row, or undefined;
//   rows may lie apart, those of dz as those of z
//   p = softmax(z_n), q = softmax(z_{n+N}), d = z_n - z_{n+N}
//   J_n = KL(p || q) + KL(q || p) = sum_v (p_v - q_v) d_v                        (SD1)
//   targets i32 [N], of both rows: a pair whose target is ignore_id counts nothing
//   loss [2] accumulated, Acc<T>: {sum of the smoothed losses and of divergence * J_n (SD4), sum of
//   -log p_t - log q_t}, in nats dz [2N, V] written, may be z: the first sum's gradient (SD2, SD3,
//   CE3), and 0 for a pair that does not count dbias [V] accumulated, Acc<T>: the sum of dz's rows;
//   undefined: not wanted
//   logits of -infinity are words that cannot come, as in kernels/cross_entropy.h; of a word that
//   comes in one pass alone J_n is +infinity
// Pairs are summed in blocks of a constant size, in order.
#pragma once

#include "core/backend.h"
#include "core/tensor.h"
#include "kernels/cross_entropy.h"

namespace xf::kernels {

struct RDrop {
  float divergence = 1;  // its weight
  float label_smoothing = 0;
  int32_t ignore_id = -1;
};

void r_drop(const Tensor& z, const Tensor& bias, const Tensor& targets, const RDrop& options, Out loss,
            Out dz, Out dbias);

// Behind a projection: two readings, `divergence` as in RDrop.
class RDropLoss final : public RepeatedLoss {
 public:
  explicit RDropLoss(float divergence) : divergence_(divergence) {}

  int64_t readings() const override { return 2; }
  void add(const Tensor& z, const Tensor& bias, const Tensor& targets, const CrossEntropy& options, Out loss,
           Out dz, Out dbias) const override;

 private:
  float divergence_;
};

// On CUDA bias and dbias are null: they belong to the products, as those of cross-entropy.
template <typename T>
struct RDropArgs {
  const T *z, *bias;
  T* dz;
  Acc<T>* dbias;
  const int32_t* targets;
  Acc<T>* loss;
  int64_t N, V, stride;  // elements from row to row, of z and of dz
  RDrop options;
};
XF_BACKENDS(r_drop, RDropArgs);

}  // namespace xf::kernels
