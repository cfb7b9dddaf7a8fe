// A classifier of texts: the encoder without a decoder. Its states become one vector a text by
// attention from a learnt query (Yang et al. 2016, "Hierarchical attention networks", section 2.2,
// here with heads), and an affine map of that gives the logits of the classes:
//
//   p_h = softmax over the text's tokens t of (scale * <q_h, x_{t,h}>),   y_h = sum_t p_{h,t} x_{t,h},   z = W y + b
//
// The query starts at zero, where p is uniform and y the mean of the states; training then finds
// where to look. It is attention (AT1, AT2, AT4) with k = v = x and one query a text, so that no
// op, and no derivative, is new.
//
// A batch has one target token for each text, its class: target_out. What target_in says is not
// read.
#pragma once

#include "nn/embedding_block.h"
#include "nn/model.h"
#include "nn/output_block.h"
#include "nn/self_attention_stack.h"

namespace xf::nn {

class Classifier final : public Model {
 public:
  // config.target_vocabulary: the classes. The sizes of the decoder, and tying, are not read.
  Classifier(const TransformerConfig& config, ParameterStore& store);

  Variable loss(ForwardContext& context, const PackedBatch& batch, const Tensor& counters,
                const Tensor& loss) const override;

  // -> [Ts, D]
  Variable encode(ForwardContext& context, const PackedBatch& batch, const Tensor& counters) const;
  // x [Ts, D] -> y [B, D], a row for each text
  Variable pool(ForwardContext& context, const Variable& x, const PackedBatch& batch,
                const Tensor& counters) const;
  // [B, D] -> [B, classes]
  Tensor logits(ForwardContext& context, const Tensor& y) const { return output_.logits(context, y); }

 private:
  Embedding embedding_;
  SelfAttentionStack encoder_;
  const Parameter& query_;  // [D]
  uint32_t site_;           // of the dropout on y
  Output output_;
};

}  // namespace xf::nn
