// Output projection and loss in one block: the [T, V] logits never exist (kernels/cross_entropy.h).
#pragma once

#include "core/packed_batch.h"
#include "kernels/cross_entropy.h"
#include "kernels/top_k.h"
#include "nn/forward_context.h"
#include "nn/transformer_config.h"

namespace xf::nn {

// The target embedding's table, or a matrix [V, D] of its own, as config.tying says.
const Parameter& add_output_weight(ParameterStore& store, const TransformerConfig& config,
                                   const Parameter& target_table);

class Output {
 public:
  // weight [V, D] may be an embedding's table; the bias [V] is the block's own.
  Output(ParameterStore& store, const Parameter& weight, float label_smoothing);

  // x [Nt, D], of the batch's target tokens.  loss [2], Acc, accumulated: {sum of the losses that
  // training minimises, sum of -log p(target)}. The first are smoothed cross-entropies, or those of
  // step.loss.
  // Returns the first sum [1], a root of the tape (autograd/tape.h): its gradient is computed right
  // here, while the logits are at hand, and the node passes it on. It is unscaled: the optimiser
  // divides by the update's tokens.
  Variable loss(ForwardContext& context, const Variable& x, const PackedBatch& batch,
                const Tensor& loss) const;

  // x [R, D] -> logits [R, V]
  Tensor logits(ForwardContext& context, const Tensor& x) const;

  // The best next tokens of x [R, D], for search: log_softmax_top_k of the logits.
  void top_k(ForwardContext& context, const Tensor& x, const Tensor& banned, kernels::Normalise normalise,
             Out scores, Out ids) const;

 private:
  const Parameter& weight_;
  const Parameter& bias_;
  float label_smoothing_;
};

}  // namespace xf::nn
