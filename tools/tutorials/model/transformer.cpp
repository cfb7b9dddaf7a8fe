#include "tools/tutorials/model/transformer.h"

#include "tools/tutorials/model/row_nodes.h"

namespace xf::nn::quirks {

namespace {

const Config& checked(const Config& config) {
  XF_CHECK(config.heads > 0 && config.dim % config.heads == 0 && config.dim % 2 == 0,
           "quirks: dim {} must be even and a multiple of heads {}", config.dim, config.heads);
  XF_CHECK(
      config.norms == NormPlacement::post || config.quirks.dropout_place == DropoutPlace::before_add,
      "quirks: dropout after the norm is of post-norm; with pre-norm a sublayer's norm is not at its end");
  return config;
}

template <typename Layer>
std::vector<std::unique_ptr<Layer>> make_layers(ParameterStore& store, const char* stack,
                                                const Config& config) {
  std::vector<std::unique_ptr<Layer>> layers;
  for (int64_t l = 0; l < config.layers; ++l)
    layers.push_back(std::make_unique<Layer>(store, fmt::format("{}.layers.{}", stack, l), config));
  return layers;
}

std::unique_ptr<LayerNorm> third_norm(ParameterStore& store, const std::string& name, const Config& config) {
  if (config.quirks.decoder_norms == NormSharing::first) return nullptr;
  return std::make_unique<LayerNorm>(store, name + ".feed_forward.norm", config);
}

std::unique_ptr<LayerNorm> final_norm(ParameterStore& store, const std::string& stack, const Config& config) {
  return config.final_norms ? std::make_unique<LayerNorm>(store, stack + ".norm", config) : nullptr;
}

Tensor counter_of(const Tensor& counters, int64_t side) {
  return counters.defined() ? counters.slice_rows(side, side + 1).reshape({2}) : Tensor();
}

}  // namespace

EncoderLayer::EncoderLayer(ParameterStore& store, const std::string& name, const Config& config)
    : name_(name),
      self_attention_(store, name + ".self_attention", config),
      norm1_(store, name + ".self_attention.norm", config),
      around_self_attention_(store, name + ".self_attention", norm1_, config),
      feed_forward_(store, name + ".feed_forward", config),
      norm2_(store, name + ".feed_forward.norm", config),
      around_feed_forward_(store, name + ".feed_forward", norm2_, config) {}

Variable EncoderLayer::forward(const ForwardContext& context, const Variable& input, const Tensor& mask,
                               const Tensor& counter) const {
  context.show(name_, "RN0", "x", input.value());
  const auto attention = [&](const Variable& x) {
    return self_attention_.forward(context, x, x, mask, counter);
  };
  const auto feed_forward = [&](const Variable& x) { return feed_forward_.forward(context, x, counter); };
  const Variable x = around_self_attention_.forward(context, input, attention, counter);
  return shown(context, name_, "RN0", "y", around_feed_forward_.forward(context, x, feed_forward, counter));
}

DecoderLayer::DecoderLayer(ParameterStore& store, const std::string& name, const Config& config)
    : name_(name),
      self_attention_(store, name + ".self_attention", config),
      norm1_(store, name + ".self_attention.norm", config),
      around_self_attention_(store, name + ".self_attention", norm1_, config),
      cross_attention_(store, name + ".cross_attention", config),
      norm2_(store, name + ".cross_attention.norm", config),
      around_cross_attention_(store, name + ".cross_attention",
                              config.quirks.decoder_norms == NormSharing::first ? norm1_ : norm2_, config),
      feed_forward_(store, name + ".feed_forward", config),
      norm3_(third_norm(store, name, config)),
      around_feed_forward_(store, name + ".feed_forward",
                           config.quirks.decoder_norms == NormSharing::none    ? *norm3_
                           : config.quirks.decoder_norms == NormSharing::first ? norm1_
                                                                               : norm2_,
                           config) {}

Variable DecoderLayer::forward(const ForwardContext& context, const Variable& x, const Variable& memory,
                               const Masks& masks, const Tensor& counter) const {
  const auto attention = [&](const Variable& in) {
    return self_attention_.forward(context, in, in, masks.target, counter);
  };
  return forward(context, x, attention, memory, masks.cross, counter);
}

Variable DecoderLayer::next(const ForwardContext& context, const Variable& x, const Variable& memory,
                            const Tensor& cross, AttentionCache& cache) const {
  const auto attention = [&](const Variable& in) { return self_attention_.next(context, in, cache); };
  return forward(context, x, attention, memory, cross, Tensor());
}

Variable DecoderLayer::forward(const ForwardContext& context, const Variable& input,
                               const Connection::Sublayer& self_attention, const Variable& memory,
                               const Tensor& cross, const Tensor& counter) const {
  context.show(name_, "RN0", "x", input.value());
  const auto cross_attention = [&](const Variable& in) {
    return cross_attention_.forward(context, in, memory, cross, counter);
  };
  const auto feed_forward = [&](const Variable& in) { return feed_forward_.forward(context, in, counter); };
  Variable x = around_self_attention_.forward(context, input, self_attention, counter);
  x = around_cross_attention_.forward(context, x, cross_attention, counter);
  return shown(context, name_, "RN0", "y", around_feed_forward_.forward(context, x, feed_forward, counter));
}

Transformer::Transformer(const Config& config, ParameterStore& store)
    : config_(checked(config)),
      source_embedding_(store, "source_embedding", config.source_vocabulary, config.source_pad, config),
      encoder_(make_layers<EncoderLayer>(store, "encoder", config)),
      encoder_norm_(final_norm(store, "encoder", config)),
      target_embedding_(store, "target_embedding", config.target_vocabulary, config.target_pad, config),
      decoder_(make_layers<DecoderLayer>(store, "decoder", config)),
      decoder_norm_(final_norm(store, "decoder", config)),
      output_(store, "output", config.dim, config.target_vocabulary, config.quirks.init) {}

void Transformer::initialise(ParameterStore& store, uint64_t seed) const {
  store.initialise(seed);
  source_embedding_.clear_pad_row(store), target_embedding_.clear_pad_row(store);
}

Variable Transformer::encode(const ForwardContext& context, const Tensor& source, const Tensor& mask,
                             const Tensor& counter) const {
  Variable x = source_embedding_.forward(context, source, counter);
  for (const auto& layer : encoder_) x = layer->forward(context, x, mask, counter);
  if (encoder_norm_) x = encoder_norm_->forward(context, x);
  return shown(context, "encoder", "RN0", "y", x);
}

Variable Transformer::decode(const ForwardContext& context, const Tensor& target, const Variable& memory,
                             const Masks& masks, const Tensor& counter) const {
  Variable x = target_embedding_.forward(context, target, counter);
  for (const auto& layer : decoder_) x = layer->forward(context, x, memory, masks, counter);
  return x;
}

Variable Transformer::output(const ForwardContext& context, const Variable& states) const {
  const Variable x = decoder_norm_ ? decoder_norm_->forward(context, states) : states;
  context.show("decoder", "RN0", "y", x.value());
  const Variable z = shown(context, "output", "LI1", "z", output_.forward(context, x));
  if (config_.quirks.output == Output::logits) return z;
  return shown(context, "output", "TK1", "y", log_softmax(context.tape, z));
}

Variable Transformer::forward(const ForwardContext& context, const Tensor& source, const Tensor& target,
                              const Tensor& counters) const {
  const Masks masks = masks_of(source, target, config_);
  context.show("masks", "SM1", "source", masks.source);
  context.show("masks", "SM1", "target", masks.target);
  const Variable memory = encode(context, source, masks.source, counter_of(counters, 0));
  return output(context, decode(context, target, memory, masks, counter_of(counters, 1)));
}

Encoded Transformer::encode(const ForwardContext& context, const Tensor& source) const {
  const bool masked = config_.quirks.apply_mask;
  const Tensor keys = masked ? source_mask(source, config_.source_pad) : everybody();
  const bool both = masked && config_.quirks.pad_axis == PadAxis::both;
  const Tensor mask = both ? pair_mask(source, config_.source_pad, source, config_.source_pad) : keys;
  return {encode(context, source, mask, Tensor()), keys};
}

Variable Transformer::next(const ForwardContext& context, const Tensor& ids, const Encoded& encoded,
                           DecoderState& state) const {
  state.layers.resize(decoder_.size());
  const int64_t position = config_.quirks.position_offset ? state.length : 0;
  Variable x = target_embedding_.forward(context, ids, Tensor(), position);
  for (size_t l = 0; l < decoder_.size(); ++l)
    x = decoder_[l]->next(context, x, encoded.states, encoded.mask, state.layers[l]);
  state.length += ids.dim(1);
  return output(context, x);
}

}  // namespace xf::nn::quirks
