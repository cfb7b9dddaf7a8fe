// Position-wise feed-forward block. Vaswani et al. 2017, arXiv:1706.03762, section 3.3, equation 2;
// one node
// on the tape.   a = dropout(f(x W1^T + b1)),  y = a W2^T + b2
#pragma once

#include "nn/attention_block.h"

namespace xf::nn {

struct FeedForwardOptions {
  int64_t dim = 0;
  int64_t hidden = 0;
  kernels::Activation activation = kernels::Activation::relu;
  float dropout = 0;  // on a
};

class FeedForward {
 public:
  FeedForward(ParameterStore& store, const std::string& name, const FeedForwardOptions& options);
  // x [T, D] -> [T, D]
  Variable forward(ForwardContext& context, const Variable& x, const Tokens& tokens) const;

 private:
  std::string name_;
  FeedForwardOptions options_;
  uint32_t site_;
  Linear in_;   // [F, D]
  Linear out_;  // [D, F]
};

}  // namespace xf::nn
