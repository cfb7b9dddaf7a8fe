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

// x through the layers; what their attentions look at is the caller's: attention(step, l, x) of layer l.
template <typename Attention>
Variable SelfAttentionStack::walk(Step& step, const Variable& x, const Tokens& tokens,
                                  const Attention& attention) const {
  ResidualStream stream(step, config_, x, layers_.first_norm());
  for (size_t l = 0; l < layers_.size(); ++l) {
    stream.walk(
        [this, l, tokens, attention](Step& pass, ResidualStream& through, const std::vector<Variable>&) {
          const SelfAttentionLayer& layer = layers_[l];
          through.add(attention(pass, l, through.normed()), layer.self_attention_sublayer,
                      &layer.feed_forward_sublayer.norm, tokens);
          through.add(layer.feed_forward.forward(pass, through.normed(), tokens), layer.feed_forward_sublayer,
                      layers_.norm_after(l), tokens);
        });
  }
  return stream.normed();
}

Variable SelfAttentionStack::forward(Step& step, const Variable& x, const Tokens& tokens, bool causal) const {
  return walk(step, x, tokens, [this, tokens, causal](Step& pass, size_t l, const Variable& normed) {
    return layers_[l].self_attention.forward(pass, normed, tokens, causal);
  });
}

Tensor SelfAttentionStack::decode(Step& step, const Tensor& x, const Rotary& rotary,
                                  const std::vector<Tensor>& cache, int64_t first_row, const Tensor& rows,
                                  const Tensor& lengths) const {
  const auto attention = [&](Step& pass, size_t l, const Variable& normed) -> Variable {
    const Tensor slab = cache[l].slice_rows(first_row, first_row + x.rows());
    return layers_[l].self_attention.decode(pass, normed.value(), rotary, slab, cache[l], rows, lengths);
  };
  return walk(step, x, {}, attention).value();
}

}  // namespace xf::nn
