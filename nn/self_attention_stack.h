// Layers of self-attention and feed-forward: the encoder of a Transformer, and, where no position
// sees what comes later, the decoder of a language model.
#pragma once

#include "nn/attention_block.h"
#include "nn/feed_forward.h"
#include "nn/residual_stream.h"

namespace xf::nn {

AttentionOptions attention_options(const TransformerConfig& config);
FeedForwardOptions feed_forward_options(const TransformerConfig& config);

struct SelfAttentionLayer {
  SelfAttentionLayer(ParameterStore& store, const std::string& name, const TransformerConfig& config);
  SelfAttention self_attention;
  Sublayer self_attention_sublayer;
  FeedForward feed_forward;
  Sublayer feed_forward_sublayer;
};

class SelfAttentionStack {
 public:
  SelfAttentionStack(ParameterStore& store, const std::string& name, int64_t layers,
                     const TransformerConfig& config)
      : config_(config), layers_(store, name, layers, config) {}

  // x [T, D] -> [T, D]
  Variable forward(ForwardContext& context, const Variable& x, const Tokens& tokens, bool causal) const;

  // One position for R sequences, x [R, D] -> [R, D]. cache: per layer [C, 3D]; the rest as in
  // Transformer::decode_step.
  Tensor decode(ForwardContext& context, const Tensor& x, const Rotary& rotary,
                const std::vector<Tensor>& cache, int64_t first_row, const Tensor& rows,
                const Tensor& lengths) const;

 private:
  template <typename Attention>
  Variable walk(ForwardContext& context, const Variable& x, const Tokens& tokens,
                const Attention& attention) const;

  TransformerConfig config_;
  LayerStack<SelfAttentionLayer> layers_;
};

}  // namespace xf::nn
