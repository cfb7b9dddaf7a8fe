// What stands around attention in a layer: norm, residual connection, and the feed-forward block.
#pragma once

#include <functional>

#include "tools/tutorials/model/linear.h"

namespace xf::nn::quirks {

// Layer norm by the formula of quirks.h.
class LayerNorm {
 public:
  LayerNorm(ParameterStore& store, const std::string& name, const Config& config);
  // x [..., D] -> [..., D]
  Variable forward(const ForwardContext& context, const Variable& x) const;

 private:
  NormFormula formula_;
  float eps_;
  const Parameter& gamma_;  // [D]
  const Parameter& beta_;   // [D]
};

// x and what a sublayer makes of it, of one place in a layer:
//   post-norm  norm(x + dropout(f(x))), or with the quirk dropout(norm(x + f(x)));  pre-norm  x +
//   dropout(f(norm(x)))
// The norm is the layer's: several places may share it.
class Connection {
 public:
  // `name`: the sublayer's.
  Connection(ParameterStore& store, const std::string& name, const LayerNorm& norm, const Config& config);

  using Sublayer = std::function<Variable(const Variable&)>;
  // x [B, S, D], counter as in drop() -> [B, S, D]
  Variable forward(const ForwardContext& context, const Variable& x, const Sublayer& f,
                   const Tensor& counter) const;

 private:
  Variable sum(const ForwardContext& context, const Variable& x, const Variable& s) const;
  Variable normed(const ForwardContext& context, const Variable& x) const;

  std::string name_;
  const LayerNorm& norm_;
  NormPlacement placement_;
  DropoutPlace dropout_place_;
  float dropout_;
  uint32_t site_;
};

// a = dropout(relu(x W1^T + b1)),  y = a W2^T + b2
class FeedForward {
 public:
  FeedForward(ParameterStore& store, const std::string& name, const Config& config);
  // x [B, S, D], counter as in drop() -> [B, S, D]
  Variable forward(const ForwardContext& context, const Variable& x, const Tensor& counter) const;

 private:
  std::string name_;
  bool dropout_last_;  // of y, not of a
  float dropout_;
  kernels::Activation activation_;
  uint32_t site_;
  Linear in_, out_;
};

}  // namespace xf::nn::quirks
