// Multi-head attention on a padded layout, every step a value of its own: nn/attention_block.h is one node.
#pragma once

#include "nn/quirks/linear.h"

namespace xf::nn::quirks {

class Attention {
 public:
  Attention(Registry& registry, const std::string& name, const Config& config);

  // x [B, Sq, D] asks, memory [B, Sk, D] answers, mask as in masks.h, for its queries or for all -> [B, Sq, D]
  Variable forward(const Step& step, const Variable& x, const Variable& memory, const Tensor& mask) const;

 private:
  // Scaled dot-product attention of each head. q [B, H, Sq, Dh], k, v [B, H, Sk, Dh] -> [B, H, Sq, Dh]
  Variable kernel(const Step& step, const Variable& q, const Variable& k, const Variable& v,
                  const Tensor& mask) const;

  std::string name_;
  int64_t heads_;
  float mask_fill_;
  Linear q_, k_, v_, out_;
};

}  // namespace xf::nn::quirks
