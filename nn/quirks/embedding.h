// Tokens and their positions, one at a time and then added: nn/embedding_block.h does it in one gather.
#pragma once

#include "nn/quirks/linear.h"

namespace xf::nn::quirks {

// The sinusoids of positions 0 .. P-1. -> [P, D], sine and cosine in turn
Tensor position_table(PositionExponent exponent, Shape shape, DType dtype);

class Embedding {
 public:
  // The table begins as N(0, 1).
  Embedding(Registry& registry, const std::string& name, int64_t vocabulary, const Config& config);

  // ids i32 [B, S], counter as in drop() -> [B, S, D]
  Variable forward(const Step& step, const Tensor& ids, const Tensor& counter) const;

 private:
  std::string name_;
  float dropout_, scale_;
  uint32_t site_;
  const Parameter& table_;  // [V, D]
  Tensor positions_;        // [P, D]
};

}  // namespace xf::nn::quirks
