#include "tools/formats/hf_marian_names.h"

#include "tools/formats/exchanged_model.h"

namespace xf::tools::exchange {

namespace {

void add_norm(TensorParts& parts, const std::string& foreign, const std::string& ours) {
  parts.add(foreign + ".weight", ours + ".weight");
  parts.add(foreign + ".bias", ours + ".bias");
}

void add_layers(TensorParts& parts, const nn::TransformerConfig& config, const std::string& side,
                int64_t layers) {
  const int64_t D = config.dim;
  for (int64_t l = 0; l < layers; ++l) {
    const std::string theirs = fmt::format("model.{}.layers.{}", side, l), ours = layer_name(side.c_str(), l);
    const std::string self = theirs + ".self_attn.", cross = theirs + ".encoder_attn.";
    int64_t row = 0;
    for (const char* projection : {"q_proj", "k_proj", "v_proj"}) {
      parts.add_map(self + projection, ours + ".self_attention.qkv", row, D);
      row += D;
    }
    parts.add_map(self + "out_proj", ours + ".self_attention.out");
    add_norm(parts, theirs + ".self_attn_layer_norm", ours + ".self_attention.norm");
    if (side == "decoder") {
      parts.add_map(cross + "q_proj", ours + ".cross_attention.q");
      parts.add_map(cross + "k_proj", "decoder.cross_kv", 2 * l * D, D);
      parts.add_map(cross + "v_proj", "decoder.cross_kv", 2 * l * D + D, D);
      parts.add_map(cross + "out_proj", ours + ".cross_attention.out");
      add_norm(parts, theirs + ".encoder_attn_layer_norm", ours + ".cross_attention.norm");
    }
    parts.add_map(theirs + ".fc1", ours + ".feed_forward.in");
    parts.add_map(theirs + ".fc2", ours + ".feed_forward.out");
    add_norm(parts, theirs + ".final_layer_norm", ours + ".feed_forward.norm");
  }
}

}  // namespace

TensorParts hf_marian_parts(const nn::TransformerConfig& config) {
  TensorParts parts({});
  if (config.tying == nn::Tying::all) {
    parts.add(kHfShared, "embedding.weight");
  } else {
    parts.add(kHfSource, "source_embedding.weight");
    parts.add(kHfTarget, "target_embedding.weight");
  }
  add_layers(parts, config, "encoder", config.encoder_layers);
  add_layers(parts, config, "decoder", config.decoder_layers);
  if (config.tying == nn::Tying::none) parts.add(kHfOutput, "output.weight");
  parts.add(kHfBias, "output.bias");
  return parts;
}

// The names under which transformers has the exact GELU and x sigmoid(x).
std::optional<kernels::Activation> hf_activation(std::string_view name) {
  if (name == "silu") return kernels::Activation::swish;
  for (const kernels::Activation activation : kernels::kActivations) {
    if (name == name_of(activation)) return activation;
  }
  return std::nullopt;
}

}  // namespace xf::tools::exchange
