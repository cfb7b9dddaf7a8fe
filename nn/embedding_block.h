// Token embedding: gather, scale by sqrt(D), add the position, drop. One node on the tape.
#pragma once

#include "kernels/embedding.h"
#include "nn/step.h"

namespace xf::nn {

// The table [rows, D] of an Embedding. It starts with variance 1/D and is scaled by sqrt(D) when read.
const Parameter& add_embedding_table(Registry& registry, const char* name, int64_t rows, int64_t dim);

class Embedding {
 public:
  // The table may be shared: with the other side's embedding, with the output projection.
  Embedding(Registry& registry, const std::string& name, const Parameter& table, float dropout);

  // ids, positions, order i32 [T] (core/packed_batch.h), position_table [P, D] -> [T, D]
  // `order` is needed for a backward only.
  Variable forward(Step& step, const Tensor& ids, const Tensor& positions, const Tensor& order,
                   const Tensor& position_table, const Tokens& tokens) const;

 private:
  std::string name_;
  const Parameter& table_;
  float dropout_;
  uint32_t site_;
};

}  // namespace xf::nn
