// Cross-entropy with label smoothing, and its gradient written over the logits.
// Szegedy et al. 2016, arXiv:1512.00567, section 7:  q = (1 - eps) * onehot(t) + eps / V, over the
// whole vocabulary
//   z [N, V] logits in; targets i32 [N]; rows whose target is ignore_id count nothing
//   p = softmax(z),   loss_n = -sum_v q_v log p_v = lse(z) - (1 - eps) z_t - eps * mean(z)  (CE1)
//   loss [2] accumulated, Acc<T>: {sum of the smoothed losses, sum of -log p_t}, unscaled, in nats
//   a logit of -infinity is a word that cannot come, p = 0: without smoothing it adds nothing to
//   the loss; as the target, or where smoothing asks for some of every word, the loss is +infinity;
//   where all logits are, it is NaN
// Rows are summed in blocks of a constant size, in order.
#pragma once

#include "core/backend.h"
#include "core/tensor.h"

namespace xf::kernels {

struct CrossEntropy {
  float label_smoothing = 0;
  int32_t ignore_id = -1;
};

// dz [N, V] written, may be z:   dz_v = p_v - q_v  (CE3), and 0 on ignored rows.  Undefined: loss
//                                only.
void cross_entropy(const Tensor& z, const Tensor& targets, const CrossEntropy& options, Out loss, Out dz);

// Output projection and cross-entropy, row chunk by row chunk, so that the [N, V] logits never
// exist:
//   z = x W^T + bias   for as many rows at a time as `logits` (workspace, written) has; its shape
//                      is logits_chunk()'s
//   x [N, D], w [V, D], bias [V] (or undefined), targets [N]  in;  loss as above
//   with a gradient (dx defined):  dx [N, D] written;  dw [V, D], dbias [V] accumulated in Acc<T>,
//   chunks in order  (CE4)
struct ProjectionGradients {
  Tensor dx, dw, dbias;
};
// A loss in cross-entropy's place, of tokens that were read several times: it sees all readings of
// a token at once. One is kernels/r_drop.h's.
class RepeatedLoss {
 public:
  virtual ~RepeatedLoss() = default;
  virtual int64_t readings() const = 0;
  // z [readings N, V], row n + k N of token n in reading k; targets i32 [N], of all readings. Rows
  // may lie apart, those of dz as those of z. bias [V] is added to each row. loss [2] as above; dz
  // written, may be z; dbias [V] accumulated: the sum of dz's rows. bias and dbias may be
  // undefined.
  virtual void add(const Tensor& z, const Tensor& bias, const Tensor& targets, const CrossEntropy& options,
                   Out loss, Out dz, Out dbias) const = 0;
};
// [rows, stride] of N rows' logits: 512 rows, V apart, on the CPU, where they are to stay in its
// caches; 2048 on CUDA, which has more to fill (an H100: 40 MB of 50 in the L2 cache, V = 10000,
// bf16), and each begins at a multiple of 128 bytes, whatever V is, as the loads of tensor cores
// and whole packs want it.
Shape logits_chunk(int64_t N, int64_t V, Device device);
// V, or on CUDA the next multiple of 16 bytes of elements: cuBLASLt has the kernels of today's
// tensor cores for no other number of words (4096 x 512 x 7855, bf16, an H200: 408 us forward, of
// 7856 words 61).
int64_t padded_vocabulary(int64_t V, DType dtype, Device device);
// Workspace, written, where that is more than V: w and bias with rows of zeros behind them. The
// products that read w are those of the copy; what the logits of no word are does not count.
struct PaddedProjection {
  Tensor w = {};     // [padded_vocabulary, D]
  Tensor bias = {};  // [padded_vocabulary]
};
// With `repeated`, which needs a gradient: x, targets and dx have row n + k N / readings for token
// n in reading k, of equal targets.
void projection_cross_entropy(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& targets,
                              const CrossEntropy& options, Out logits, Out loss,
                              const ProjectionGradients& gradients, const PaddedProjection& padded = {},
                              const RepeatedLoss* repeated = nullptr);

// The CPU takes the projection's bias and its gradient along, so that the logits are not walked
// again for them:
//   z = z + bias before anything else;  dbias [V] accumulated = sum_n dz.   Both may be null, and on CUDA, whose products
// do both, they are.
template <typename T>
struct CrossEntropyArgs {
  const T *z, *bias;
  T* dz;
  Acc<T>* dbias;
  const int32_t* targets;
  Acc<T>* loss;
  int64_t N, V, stride;  // elements from row to row, of z and of dz
  float label_smoothing;
  int32_t ignore_id;
};
XF_BACKENDS(cross_entropy, CrossEntropyArgs);

}  // namespace xf::kernels
