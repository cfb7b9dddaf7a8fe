// Token embedding: gather, scale by sqrt(D), add the position, drop. One node on the tape. The
// position is a sinusoid, or a learnt row: Gehring et al. 2017, arXiv:1705.03122, section 3.1.
#pragma once

#include "kernels/embedding.h"
#include "nn/forward_context.h"
#include "nn/transformer_config.h"

namespace xf::nn {

// The table [rows, D] of an Embedding. It starts with variance 1/D and is scaled by sqrt(D) when
// read.
const Parameter& add_embedding_table(ParameterStore& store, const char* name, int64_t rows, int64_t dim);

// The table [max_length, D] of learnt positions, of the variance that a word's row has before it is
// scaled; null where positions are sinusoids.
const Parameter* add_position_table(ParameterStore& store, const char* name, const TransformerConfig& config);

class Embedding {
 public:
  // The table may be shared: with the other side's embedding, with the output projection.
  // learned_positions: null where they are sinusoids.
  Embedding(ParameterStore& store, const std::string& name, const Parameter& table,
            const Parameter* learned_positions, float dropout);

  // ids, positions, order i32 [T] (core/packed_batch.h), position_table [P, D] -> [T, D]
  // `order` is needed for a backward only, position_table unless positions are learnt.
  Variable forward(ForwardContext& context, const Tensor& ids, const Tensor& positions, const Tensor& order,
                   const Tensor& position_table, const Tokens& tokens) const;

 private:
  std::string name_;
  const Parameter& table_;
  const Parameter* learned_positions_;
  float dropout_;
  uint32_t site_;
};

}  // namespace xf::nn
