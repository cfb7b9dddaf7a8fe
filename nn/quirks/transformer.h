// The encoder-decoder Transformer with switches for what others do differently (quirks.h), in the order in which one
// explains it. Its gradient is the tape's.
#pragma once

#include <memory>
#include <vector>

#include "nn/quirks/attention.h"
#include "nn/quirks/embedding.h"
#include "nn/quirks/sublayers.h"

namespace xf::nn::quirks {

class EncoderLayer {
 public:
  EncoderLayer(Registry& registry, const std::string& name, const Config& config);
  // x [B, S, D], mask [B, 1, 1, S], counter as in drop() -> [B, S, D]
  Variable forward(Step& step, const Variable& x, const Tensor& mask, const Tensor& counter) const;

 private:
  std::string name_;
  Attention self_attention_;
  Norm norm1_;
  AddNorm add_self_attention_;
  FeedForward feed_forward_;
  Norm norm2_;
  AddNorm add_feed_forward_;
};

class DecoderLayer {
 public:
  DecoderLayer(Registry& registry, const std::string& name, const Config& config);
  // x [B, T, D], memory [B, S, D], target_mask [B, 1, T, T], source_mask [B, 1, 1, S] -> [B, T, D]
  Variable forward(Step& step, const Variable& x, const Variable& memory, const Tensor& target_mask,
                   const Tensor& source_mask, const Tensor& counter) const;

 private:
  std::string name_;
  Attention self_attention_;
  Norm norm1_;
  AddNorm add_self_attention_;
  Attention cross_attention_;
  Norm norm2_;
  AddNorm add_cross_attention_;
  FeedForward feed_forward_;
  std::unique_ptr<Norm> norm3_;  // null where NormSharing::first
  AddNorm add_feed_forward_;
};

class Transformer {
 public:
  Transformer(const Config& config, Registry& registry);

  // source i32 [B, S], target i32 [B, T], filled up with the pad id -> logits [B, T, V]. The target is what the decoder
  // reads. counters i32 [2, 2] {source, target}, as in drop(); undefined without dropout.
  Variable forward(Step& step, const Tensor& source, const Tensor& target, const Tensor& counters) const;

 private:
  Variable encode(Step& step, const Tensor& source, const Tensor& mask, const Tensor& counter) const;
  Variable decode(Step& step, const Tensor& target, const Variable& memory, const Tensor& target_mask,
                  const Tensor& source_mask, const Tensor& counter) const;

  Config config_;
  Embedding source_embedding_;
  std::vector<std::unique_ptr<EncoderLayer>> encoder_;
  Embedding target_embedding_;
  std::vector<std::unique_ptr<DecoderLayer>> decoder_;
  Linear output_;
};

}  // namespace xf::nn::quirks
