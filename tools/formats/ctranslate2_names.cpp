#include "tools/formats/ctranslate2_names.h"

#include "tools/formats/exchanged_model.h"

namespace xf::tools::exchange {

namespace {

void add_norm(TensorParts& parts, const std::string& foreign, const std::string& ours) {
  parts.add(foreign + "/layer_norm/gamma", ours + ".weight");
  parts.add(foreign + "/layer_norm/beta", ours + ".bias");
}

void add_layers(TensorParts& parts, const nn::TransformerConfig& config, const std::string& side,
                int64_t layers) {
  for (int64_t l = 0; l < layers; ++l) {
    const std::string theirs = fmt::format("{}/layer_{}", side, l), ours = layer_name(side.c_str(), l);
    parts.add_map(theirs + "/self_attention/linear_0", ours + ".self_attention.qkv");
    parts.add_map(theirs + "/self_attention/linear_1", ours + ".self_attention.out");
    add_norm(parts, theirs + "/self_attention", ours + ".self_attention.norm");
    if (side == "decoder") {
      parts.add_map(theirs + "/attention/linear_0", ours + ".cross_attention.q");
      parts.add_map(theirs + "/attention/linear_1", "decoder.cross_kv", 2 * l * config.dim, 2 * config.dim);
      parts.add_map(theirs + "/attention/linear_2", ours + ".cross_attention.out");
      add_norm(parts, theirs + "/attention", ours + ".cross_attention.norm");
    }
    parts.add_map(theirs + "/ffn/linear_0", ours + ".feed_forward.in");
    parts.add_map(theirs + "/ffn/linear_1", ours + ".feed_forward.out");
    add_norm(parts, theirs + "/ffn", ours + ".feed_forward.norm");
  }
  if (config.norm == nn::NormPlacement::pre) add_norm(parts, side, side + ".norm");
}

}  // namespace

TensorParts ctranslate2_parts(const nn::TransformerConfig& config) {
  TensorParts parts({.weight = "/weight", .bias = "/bias"});
  if (config.tying != nn::Tying::all) parts.add(kCTranslate2Source, source_table(config));
  parts.add(kCTranslate2Target, target_table(config));
  if (config.learned_positions) {
    parts.add(kCTranslate2Positions[0], "source_positions.weight");
    parts.add(kCTranslate2Positions[1], "target_positions.weight");
  }
  add_layers(parts, config, "encoder", config.encoder_layers);
  add_layers(parts, config, "decoder", config.decoder_layers);
  if (config.tying == nn::Tying::none) parts.add(kCTranslate2Output, "output.weight");
  parts.add("decoder/projection/bias", "output.bias");
  return parts;
}

// The numbers are those of its enumeration of activations: ReLU 0, GELUTanh 1, Swish 2, GELU 3.
int ctranslate2_number(kernels::Activation activation) {
  switch (activation) {
    case kernels::Activation::relu: return 0;
    case kernels::Activation::swish: return 2;
    case kernels::Activation::gelu: return 3;
  }
  return -1;
}

std::optional<kernels::Activation> ctranslate2_activation(int number) {
  for (const kernels::Activation activation : kernels::kActivations) {
    if (ctranslate2_number(activation) == number) return activation;
  }
  return std::nullopt;
}

}  // namespace xf::tools::exchange
