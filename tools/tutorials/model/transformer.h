// The encoder-decoder Transformer with switches for what others do differently (quirks.h), in the
// order in which one explains it. Its gradient is the tape's.
#pragma once

#include <memory>
#include <vector>

#include "tools/tutorials/model/attention.h"
#include "tools/tutorials/model/embedding.h"
#include "tools/tutorials/model/masks.h"
#include "tools/tutorials/model/sublayers.h"

namespace xf::nn::quirks {

class EncoderLayer {
 public:
  EncoderLayer(ParameterStore& store, const std::string& name, const Config& config);
  // x [B, S, D], mask as in masks.h, counter as in drop() -> [B, S, D]
  Variable forward(const ForwardContext& context, const Variable& x, const Tensor& mask,
                   const Tensor& counter) const;

 private:
  std::string name_;
  Attention self_attention_;
  LayerNorm norm1_;
  Connection around_self_attention_;
  FeedForward feed_forward_;
  LayerNorm norm2_;
  Connection around_feed_forward_;
};

class DecoderLayer {
 public:
  DecoderLayer(ParameterStore& store, const std::string& name, const Config& config);
  // x [B, T, D], memory [B, S, D], masks as in masks.h -> [B, T, D]
  Variable forward(const ForwardContext& context, const Variable& x, const Variable& memory,
                   const Masks& masks, const Tensor& counter) const;
  // Of the next token, x [B, 1, D]; those before are in the cache. cross: the mask of the memory.
  Variable next(const ForwardContext& context, const Variable& x, const Variable& memory, const Tensor& cross,
                AttentionCache& cache) const;

 private:
  Variable forward(const ForwardContext& context, const Variable& x,
                   const Connection::Sublayer& self_attention, const Variable& memory, const Tensor& cross,
                   const Tensor& counter) const;

  std::string name_;
  Attention self_attention_;
  LayerNorm norm1_;
  Connection around_self_attention_;
  Attention cross_attention_;
  LayerNorm norm2_;
  Connection around_cross_attention_;
  FeedForward feed_forward_;
  std::unique_ptr<LayerNorm> norm3_;  // null where NormSharing::first
  Connection around_feed_forward_;
};

// What decoding token by token starts from.
struct Encoded {
  Variable states;  // [B, S, D]
  Tensor mask;      // of the cross-attention, [B, 1, 1, S] or everybody()
};

struct DecoderState {
  std::vector<AttentionCache> layers;
  int64_t length = 0;  // tokens so far
};

class Transformer {
 public:
  Transformer(const Config& config, ParameterStore& store);

  // The initial values; the store is the constructor's, allocated.
  void initialise(ParameterStore& store, uint64_t seed) const;

  // source i32 [B, S], target i32 [B, T], filled up with the pad ids -> logits [B, T, V], or their
  // log_softmax. The target is what the decoder reads. counters i32 [2, 2] {source, target}, as in
  // drop(); undefined without dropout.
  Variable forward(const ForwardContext& context, const Tensor& source, const Tensor& target,
                   const Tensor& counters) const;

  // The same, a token at a time, in inference: the source once, then the next token of each
  // sentence, ids i32 [B, 1] -> [B, 1, V]. `state` begins empty.
  Encoded encode(const ForwardContext& context, const Tensor& source) const;
  Variable next(const ForwardContext& context, const Tensor& ids, const Encoded& encoded,
                DecoderState& state) const;

 private:
  Variable encode(const ForwardContext& context, const Tensor& source, const Tensor& mask,
                  const Tensor& counter) const;
  Variable decode(const ForwardContext& context, const Tensor& target, const Variable& memory,
                  const Masks& masks, const Tensor& counter) const;
  Variable output(const ForwardContext& context, const Variable& states) const;

  Config config_;
  Embedding source_embedding_;
  std::vector<std::unique_ptr<EncoderLayer>> encoder_;
  std::unique_ptr<LayerNorm> encoder_norm_;  // null without final norms
  Embedding target_embedding_;
  std::vector<std::unique_ptr<DecoderLayer>> decoder_;
  std::unique_ptr<LayerNorm> decoder_norm_;
  Linear output_;
};

}  // namespace xf::nn::quirks
