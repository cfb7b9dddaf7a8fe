// Several translation models as one: a product of experts (Hinton 2002, "Training products of
// experts by minimizing contrastive divergence"). With weights w_i that sum to one,
//   p(y) = prod_i p_i(y)^w_i / Z,   that is   log p = log softmax(sum_i w_i z_i)
// for the logits z_i: the members' normalisers are the same for every token, and go into Z. Two
// equal models make the model itself.
#pragma once

#include <vector>

#include "nn/translation_model.h"

namespace xf::nn {

class Ensemble final : public TranslationModel {
 public:
  // At least one member, all of one dtype and vocabulary size, which must outlive it, and as many
  // weights: positive, of any sum. `store`: of the first. Error usage.
  Ensemble(std::vector<const TranslationModel*> members, std::vector<double> weights,
           const ParameterStore& store);

  std::unique_ptr<Decoding> decoding(ForwardContext& context, Arena& arena, const PackedBatch& batch,
                                     int64_t hypotheses) const override;
  Tensor logits(ForwardContext& context, const PackedBatch& batch) const override;
  void top_k(ForwardContext& context, const PackedBatch& batch, Out scores, Out ids) const override;
  // Error usage: the members were trained one by one.
  Variable loss(ForwardContext& context, const PackedBatch& batch, const Tensor& counters,
                const Tensor& loss) const override;

 private:
  std::vector<const TranslationModel*> members_;
  std::vector<float> weights_;  // sum 1
};

}  // namespace xf::nn
