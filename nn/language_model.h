// A language model: the decoder without an encoder. Each token is predicted from those before it,
// log p(x) = sum_i log p(x_i | x_<i); Liu et al. 2018, arXiv:1801.10198, section 4.2.3; Radford et
// al. 2018. It reads the target side of a batch alone.
#pragma once

#include "nn/embedding_block.h"
#include "nn/model.h"
#include "nn/output_block.h"
#include "nn/self_attention_stack.h"

namespace xf::nn {

class LanguageModel final : public Model {
 public:
  // Of the sizes, those of the source and of the encoder are not read. Tying::all means what
  // Tying::target does.
  LanguageModel(const TransformerConfig& config, ParameterStore& store);

  Variable loss(ForwardContext& context, const PackedBatch& batch, const Tensor& counters,
                const Tensor& loss) const override;

  // -> [Tt, D]
  Variable states(ForwardContext& context, const PackedBatch& batch, const Tensor& counters) const;
  // [R, D] -> [R, V]
  Tensor logits(ForwardContext& context, const Tensor& states) const {
    return output_.logits(context, states);
  }

  // One position for R sequences: ids, positions i32 [R] -> states [R, D]. cache: per layer [C,
  // 3D]; row r's projections are written at cache row first_row + r. rows [R, S] and lengths [R]
  // list the cached positions each sequence sees, this one included.
  Tensor decode_step(ForwardContext& context, const Tensor& ids, const Tensor& positions,
                     const std::vector<Tensor>& cache, int64_t first_row, const Tensor& rows,
                     const Tensor& lengths) const;

 private:
  const Parameter& table_;
  Embedding embedding_;
  SelfAttentionStack decoder_;
  Output output_;
};

}  // namespace xf::nn
