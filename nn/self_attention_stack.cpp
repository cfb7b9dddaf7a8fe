#include "nn/self_attention_stack.h"

namespace xf::nn {

AttentionOptions attention_options(const TransformerConfig& config) {
  return {config.dim, config.heads, config.attention_dropout};
}

FeedForwardOptions feed_forward_options(const TransformerConfig& config) {
  return {config.dim, config.feed_forward, config.activation, config.feed_forward_dropout};
}

SelfAttentionLayer::SelfAttentionLayer(ParameterStore& store, const std::string& name,
                                       const TransformerConfig& config)
    : self_attention(store, name + ".self_attention", attention_options(config)),
      self_attention_sublayer(store, name + ".self_attention", config),
      feed_forward(store, name + ".feed_forward", feed_forward_options(config)),
      feed_forward_sublayer(store, name + ".feed_forward", config) {}

// x through the layers; what their attentions look at is the caller's: attention(context, l, x) of
// layer l.
template <typename Attention>
Variable SelfAttentionStack::walk(ForwardContext& context, const Variable& x, const Tokens& tokens,
                                  const Attention& attention) const {
  ResidualStream stream(context, config_, x, layers_.first_norm());
  for (size_t l = 0; l < layers_.size(); ++l) {
    stream.walk([this, l, tokens, attention](ForwardContext& pass, ResidualStream& through,
                                             const std::vector<Variable>&) {
      const SelfAttentionLayer& layer = layers_[l];
      through.add(attention(pass, l, through.normed()), layer.self_attention_sublayer,
                  &layer.feed_forward_sublayer.norm, tokens);
      through.add(layer.feed_forward.forward(pass, through.normed(), tokens), layer.feed_forward_sublayer,
                  layers_.norm_after(l), tokens);
    });
  }
  return stream.normed();
}

Variable SelfAttentionStack::forward(ForwardContext& context, const Variable& x, const Tokens& tokens,
                                     bool causal) const {
  return walk(context, x, tokens,
              [this, tokens, causal](ForwardContext& pass, size_t l, const Variable& normed) {
                return layers_[l].self_attention.forward(pass, normed, tokens, causal);
              });
}

Tensor SelfAttentionStack::decode(ForwardContext& context, const Tensor& x, const Rotary& rotary,
                                  const std::vector<Tensor>& cache, int64_t first_row, const Tensor& rows,
                                  const Tensor& lengths) const {
  const auto attention = [&](ForwardContext& pass, size_t l, const Variable& normed) -> Variable {
    const Tensor slab = cache[l].slice_rows(first_row, first_row + x.rows());
    return layers_[l].self_attention.decode(pass, normed.value(), rotary, slab, cache[l], rows, lengths);
  };
  return walk(context, x, {}, attention).value();
}

}  // namespace xf::nn
