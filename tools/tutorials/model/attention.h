// Multi-head attention on a padded layout, every step a value of its own: nn/attention_block.h is
// one node.
#pragma once

#include "tools/tutorials/model/linear.h"

namespace xf::nn::quirks {

// What decoding token by token keeps of the n tokens before, each [B, n, D]; undefined at first.
struct AttentionCache {
  Tensor keys, values;  // CacheContents::keys_values
  Tensor inputs;        // CacheContents::inputs
};

class Attention {
 public:
  Attention(ParameterStore& store, const std::string& name, const Config& config);

  // x [B, Sq, D] asks, memory [B, Sk, D] answers, mask as in masks.h, for its queries or for all;
  // counter as in drop(), undefined outside of training -> [B, Sq, D]
  Variable forward(const ForwardContext& context, const Variable& x, const Variable& memory,
                   const Tensor& mask, const Tensor& counter) const;
  // Self-attention of the next token x [B, 1, D], which sees itself and those before; the cache
  // grows by it. Inference alone.
  Variable next(const ForwardContext& context, const Variable& x, AttentionCache& cache) const;

 private:
  // The queries of x with keys and values [B, Sk, D]. -> [B, Sq, D]
  Variable attend(const ForwardContext& context, const Variable& x, const Variable& k, const Variable& v,
                  const Tensor& mask, const Tensor& counter) const;
  // Scaled dot-product attention of each head. q [B, H, Sq, Dh], k, v [B, H, Sk, Dh] -> [B, H, Sq,
  // Dh]
  Variable kernel(const ForwardContext& context, const Variable& q, const Variable& k, const Variable& v,
                  const Tensor& mask, const Tensor& counter) const;
  Variable keys(const ForwardContext& context, const Variable& memory) const;
  Variable values(const ForwardContext& context, const Variable& memory) const;

  std::string name_;
  int64_t heads_;
  float mask_fill_, dropout_;
  bool dropout_at_evaluation_;
  CacheContents cache_;
  uint32_t site_;
  Tensor first_;  // the counter of a search, which has none
  Linear q_, k_, v_, out_;
};

}  // namespace xf::nn::quirks
