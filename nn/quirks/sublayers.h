// What stands around attention in a layer: residual connection with norm, and the feed-forward block.
#pragma once

#include "nn/norm.h"
#include "nn/quirks/linear.h"

namespace xf::nn::quirks {

// y = layer_norm(x + dropout(s)), of one place in a layer. The norm is the layer's: several places may share it.
class AddNorm {
 public:
  // `name`: the sublayer's whose result is added.
  AddNorm(Registry& registry, const std::string& name, const Norm& norm, const Config& config)
      : name_(name), norm_(norm), dropout_(config.dropout), site_(registry.new_dropout_site()) {}
  // x, s [B, S, D], counter as in drop() -> [B, S, D]
  Variable forward(Step& step, const Variable& x, const Variable& s, const Tensor& counter) const;

 private:
  std::string name_;
  const Norm& norm_;
  float dropout_;
  uint32_t site_;
};

// a = dropout(relu(x W1^T + b1)),  y = a W2^T + b2
class FeedForward {
 public:
  FeedForward(Registry& registry, const std::string& name, const Config& config);
  // x [B, S, D], counter as in drop() -> [B, S, D]
  Variable forward(const Step& step, const Variable& x, const Tensor& counter) const;

 private:
  std::string name_;
  float dropout_;
  uint32_t site_;
  Linear in_, out_;
};

}  // namespace xf::nn::quirks
