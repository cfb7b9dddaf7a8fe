// Tokens and their positions, one at a time and then added: nn/embedding_block.h does it in one
// gather.
#pragma once

#include "tools/tutorials/model/linear.h"

namespace xf::nn::quirks {

// What a position is divided by to be the angle of columns 2i and 2i+1.
double position_divisor(PositionExponent exponent, int64_t i, int64_t dim);
// The sinusoids of positions 0 .. P-1. -> [P, D], sine and cosine in turn
Tensor position_table(PositionExponent exponent, Shape shape, DType dtype);

class Embedding {
 public:
  Embedding(ParameterStore& store, const std::string& name, int64_t vocabulary, int32_t pad,
            const Config& config);

  // Padding's row begins as zero, unless a quirk leaves it as it was drawn.
  void clear_pad_row(const ParameterStore& store) const;
  // ids i32 [B, S] of positions first .. first+S-1, counter as in drop() -> [B, S, D]
  Variable forward(const ForwardContext& context, const Tensor& ids, const Tensor& counter,
                   int64_t first = 0) const;

 private:
  // Their rows of the table, scaled. ids [B, S] -> [B, S, D]
  Variable tokens(const ForwardContext& context, const Tensor& ids) const;
  // x without a gradient where the id is padding.
  Variable without_pad_gradient(const ForwardContext& context, const Tensor& ids, const Variable& x) const;

  std::string name_;
  Config config_;
  int32_t pad_;
  uint32_t site_;
  const Parameter& table_;  // [V, D]
  Tensor positions_;        // [P, D]
};

}  // namespace xf::nn::quirks
