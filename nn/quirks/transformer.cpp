#include "nn/quirks/transformer.h"

#include "nn/quirks/masks.h"

namespace xf::nn::quirks {

namespace {

const Config& checked(const Config& config) {
  XF_CHECK(config.heads > 0 && config.dim % config.heads == 0 && config.dim % 2 == 0,
           "quirks: dim {} must be even and a multiple of heads {}", config.dim, config.heads);
  return config;
}

template <typename Layer>
std::vector<std::unique_ptr<Layer>> make_layers(Registry& registry, const char* stack, const Config& config) {
  std::vector<std::unique_ptr<Layer>> layers;
  for (int64_t l = 0; l < config.layers; ++l)
    layers.push_back(std::make_unique<Layer>(registry, fmt::format("{}.layers.{}", stack, l), config));
  return layers;
}

std::unique_ptr<Norm> third_norm(Registry& registry, const std::string& name, const Config& config) {
  if (config.quirks.decoder_norms == NormSharing::first) return nullptr;
  return std::make_unique<Norm>(registry, name + ".feed_forward.norm", config.dim);
}

Tensor counter_of(const Tensor& counters, int64_t side) {
  return counters.defined() ? counters.slice_rows(side, side + 1).reshape({2}) : Tensor();
}

}  // namespace

EncoderLayer::EncoderLayer(Registry& registry, const std::string& name, const Config& config)
    : name_(name),
      self_attention_(registry, name + ".self_attention", config),
      norm1_(registry, name + ".self_attention.norm", config.dim),
      add_self_attention_(registry, name + ".self_attention", norm1_, config),
      feed_forward_(registry, name + ".feed_forward", config),
      norm2_(registry, name + ".feed_forward.norm", config.dim),
      add_feed_forward_(registry, name + ".feed_forward", norm2_, config) {}

Variable EncoderLayer::forward(Step& step, const Variable& input, const Tensor& mask,
                               const Tensor& counter) const {
  step.show(name_, "RN0", "x", input.value());
  Variable x = input;
  x = add_self_attention_.forward(step, x, self_attention_.forward(step, x, x, mask), counter);
  x = add_feed_forward_.forward(step, x, feed_forward_.forward(step, x, counter), counter);
  return shown(step, name_, "RN0", "y", x);
}

DecoderLayer::DecoderLayer(Registry& registry, const std::string& name, const Config& config)
    : name_(name),
      self_attention_(registry, name + ".self_attention", config),
      norm1_(registry, name + ".self_attention.norm", config.dim),
      add_self_attention_(registry, name + ".self_attention", norm1_, config),
      cross_attention_(registry, name + ".cross_attention", config),
      norm2_(registry, name + ".cross_attention.norm", config.dim),
      add_cross_attention_(registry, name + ".cross_attention",
                           config.quirks.decoder_norms == NormSharing::first ? norm1_ : norm2_, config),
      feed_forward_(registry, name + ".feed_forward", config),
      norm3_(third_norm(registry, name, config)),
      add_feed_forward_(registry, name + ".feed_forward", norm3_ ? *norm3_ : norm1_, config) {}

Variable DecoderLayer::forward(Step& step, const Variable& input, const Variable& memory,
                               const Tensor& target_mask, const Tensor& source_mask,
                               const Tensor& counter) const {
  step.show(name_, "RN0", "x", input.value());
  Variable x = input;
  x = add_self_attention_.forward(step, x, self_attention_.forward(step, x, x, target_mask), counter);
  x = add_cross_attention_.forward(step, x, cross_attention_.forward(step, x, memory, source_mask), counter);
  x = add_feed_forward_.forward(step, x, feed_forward_.forward(step, x, counter), counter);
  return shown(step, name_, "RN0", "y", x);
}

Transformer::Transformer(const Config& config, Registry& registry)
    : config_(checked(config)),
      source_embedding_(registry, "source_embedding", config.source_vocabulary, config),
      encoder_(make_layers<EncoderLayer>(registry, "encoder", config)),
      target_embedding_(registry, "target_embedding", config.target_vocabulary, config),
      decoder_(make_layers<DecoderLayer>(registry, "decoder", config)),
      output_(registry, "output", config.dim, config.target_vocabulary) {}

Variable Transformer::encode(Step& step, const Tensor& source, const Tensor& mask,
                             const Tensor& counter) const {
  Variable x = source_embedding_.forward(step, source, counter);
  for (const auto& layer : encoder_) x = layer->forward(step, x, mask, counter);
  return shown(step, "encoder", "RN0", "y", x);
}

Variable Transformer::decode(Step& step, const Tensor& target, const Variable& memory,
                             const Tensor& target_mask, const Tensor& source_mask,
                             const Tensor& counter) const {
  Variable x = target_embedding_.forward(step, target, counter);
  for (const auto& layer : decoder_) x = layer->forward(step, x, memory, target_mask, source_mask, counter);
  return shown(step, "decoder", "RN0", "y", x);
}

Variable Transformer::forward(Step& step, const Tensor& source, const Tensor& target,
                              const Tensor& counters) const {
  const Tensor of_source = source_mask(source, config_.pad);
  step.show("masks", "SM1", "source", of_source);
  const Tensor of_target = target_mask(target, config_.pad, config_.quirks.target_pad_axis);
  step.show("masks", "SM1", "target", of_target);
  const Variable memory = encode(step, source, of_source, counter_of(counters, 0));
  const Variable states = decode(step, target, memory, of_target, of_source, counter_of(counters, 1));
  return shown(step, "output", "LI1", "z", output_.forward(step, states));
}

}  // namespace xf::nn::quirks
