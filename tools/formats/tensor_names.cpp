#include "tools/formats/tensor_names.h"

#include "tools/formats/exchanged_model.h"

namespace xf::tools::exchange {

namespace {

// What a toolkit calls the two tensors of an affine map, or of a norm.
struct Pair {
  const char *weight, *bias;
};

// The names of a layer's maps and norms behind its own; "{}" is where those of their tensors stand.
struct LayerNames {
  const char* layer;  // of its side and its number
  int64_t first;      // the number of the first layer
  Pair map, norm;
  bool transposed;                                            // matrices are [in, out]
  std::vector<const char*> queries_keys_values, keys_values;  // one each, or one for all
  const char *self_output, *self_norm, *cross_queries, *cross_output, *cross_norm;
  const char *widened, *narrowed, *feed_forward_norm;
};

const LayerNames& ctranslate2_layers() {
  static const LayerNames names = {.layer = "{}/layer_{}",
                                   .first = 0,
                                   .map = {"weight", "bias"},
                                   .norm = {"gamma", "beta"},
                                   .transposed = false,
                                   .queries_keys_values = {"/self_attention/linear_0/{}"},
                                   .keys_values = {"/attention/linear_1/{}"},
                                   .self_output = "/self_attention/linear_1/{}",
                                   .self_norm = "/self_attention/layer_norm/{}",
                                   .cross_queries = "/attention/linear_0/{}",
                                   .cross_output = "/attention/linear_2/{}",
                                   .cross_norm = "/attention/layer_norm/{}",
                                   .widened = "/ffn/linear_0/{}",
                                   .narrowed = "/ffn/linear_1/{}",
                                   .feed_forward_norm = "/ffn/layer_norm/{}"};
  return names;
}

const LayerNames& hf_layers() {
  static const LayerNames names = {
      .layer = "model.{}.layers.{}",
      .first = 0,
      .map = {"weight", "bias"},
      .norm = {"weight", "bias"},
      .transposed = false,
      .queries_keys_values = {".self_attn.q_proj.{}", ".self_attn.k_proj.{}", ".self_attn.v_proj.{}"},
      .keys_values = {".encoder_attn.k_proj.{}", ".encoder_attn.v_proj.{}"},
      .self_output = ".self_attn.out_proj.{}",
      .self_norm = ".self_attn_layer_norm.{}",
      .cross_queries = ".encoder_attn.q_proj.{}",
      .cross_output = ".encoder_attn.out_proj.{}",
      .cross_norm = ".encoder_attn_layer_norm.{}",
      .widened = ".fc1.{}",
      .narrowed = ".fc2.{}",
      .feed_forward_norm = ".final_layer_norm.{}"};
  return names;
}

LayerNames marian_layers(bool is_pre_norm) {
  return {.layer = "{}_l{}",
          .first = 1,
          .map = {"W", "b"},
          .norm = {"scale", "bias"},
          .transposed = true,
          .queries_keys_values = {"_self_{}q", "_self_{}k", "_self_{}v"},
          .keys_values = {"_context_{}k", "_context_{}v"},
          .self_output = "_self_{}o",
          .self_norm = is_pre_norm ? "_self_Wo_ln_{}_pre" : "_self_Wo_ln_{}",
          .cross_queries = "_context_{}q",
          .cross_output = "_context_{}o",
          .cross_norm = is_pre_norm ? "_context_Wo_ln_{}_pre" : "_context_Wo_ln_{}",
          .widened = "_ffn_{}1",
          .narrowed = "_ffn_{}2",
          .feed_forward_norm = is_pre_norm ? "_ffn_ffn_ln_{}_pre" : "_ffn_ffn_ln_{}"};
}

class PartList {
 public:
  // `names` must outlive the object.
  PartList(const nn::TransformerConfig& config, const LayerNames& names) : config_(config), names_(names) {}

  void add(const std::string& foreign, const std::string& ours) { parts_.push_back({foreign, ours}); }

  void add_norm(const std::string& pattern, const std::string& ours) {
    add(fmt::format(fmt::runtime(pattern), names_.norm.weight), ours + ".weight");
    add(fmt::format(fmt::runtime(pattern), names_.norm.bias), ours + ".bias");
  }

  void add_layers() {
    for (int64_t l = 0; l < config_.encoder_layers; ++l) add_layer("encoder", l);
    for (int64_t l = 0; l < config_.decoder_layers; ++l) add_layer("decoder", l);
  }

  TensorParts take() { return std::move(parts_); }

 private:
  // Of all rows of ours, or of some from `begin` on.
  void add_map(const std::string& pattern, const std::string& ours, int64_t begin = 0, int64_t rows = 0) {
    parts_.push_back({fmt::format(fmt::runtime(pattern), names_.map.weight), ours + ".weight", begin, rows,
                      names_.transposed});
    parts_.push_back({fmt::format(fmt::runtime(pattern), names_.map.bias), ours + ".bias", begin, rows});
  }

  // Of theirs each has as many rows of ours.
  void add_maps(const std::string& layer, const std::vector<const char*>& patterns, const std::string& ours,
                int64_t begin, int64_t rows) {
    const int64_t each = rows / std::ssize(patterns);
    for (const char* pattern : patterns) {
      add_map(layer + pattern, ours, begin, each);
      begin += each;
    }
  }

  void add_layer(const char* side, int64_t l) {
    const int64_t D = config_.dim;
    const std::string theirs = fmt::format(fmt::runtime(names_.layer), side, l + names_.first),
                      ours = layer_name(side, l);
    add_maps(theirs, names_.queries_keys_values, ours + ".self_attention.qkv", 0, 3 * D);
    add_map(theirs + names_.self_output, ours + ".self_attention.out");
    add_norm(theirs + names_.self_norm, ours + ".self_attention.norm");
    if (side == std::string_view("decoder")) {
      add_map(theirs + names_.cross_queries, ours + ".cross_attention.q");
      add_maps(theirs, names_.keys_values, "decoder.cross_kv", 2 * l * D, 2 * D);
      add_map(theirs + names_.cross_output, ours + ".cross_attention.out");
      add_norm(theirs + names_.cross_norm, ours + ".cross_attention.norm");
    }
    add_map(theirs + names_.widened, ours + ".feed_forward.in");
    add_map(theirs + names_.narrowed, ours + ".feed_forward.out");
    add_norm(theirs + names_.feed_forward_norm, ours + ".feed_forward.norm");
  }

  const nn::TransformerConfig& config_;
  const LayerNames& names_;
  TensorParts parts_;
};

}  // namespace

TensorParts ctranslate2_parts(const nn::TransformerConfig& config) {
  PartList parts(config, ctranslate2_layers());
  if (config.tying != nn::Tying::all) parts.add(kCTranslate2Source, source_table(config));
  parts.add(kCTranslate2Target, target_table(config));
  if (config.learned_positions) {
    parts.add(kCTranslate2Positions[0], "source_positions.weight");
    parts.add(kCTranslate2Positions[1], "target_positions.weight");
  }
  parts.add_layers();
  if (config.norm == nn::NormPlacement::pre) {
    for (const std::string side : {"encoder", "decoder"})
      parts.add_norm(side + "/layer_norm/{}", side + ".norm");
  }
  if (config.tying == nn::Tying::none) parts.add(kCTranslate2Output, "output.weight");
  parts.add("decoder/projection/bias", "output.bias");
  return parts.take();
}

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

TensorParts hf_marian_parts(const nn::TransformerConfig& config) {
  PartList parts(config, hf_layers());
  if (config.tying == nn::Tying::all) {
    parts.add(kHfShared, source_table(config));
  } else {
    parts.add(kHfSource, source_table(config));
    parts.add(kHfTarget, target_table(config));
  }
  parts.add_layers();
  if (config.tying == nn::Tying::none) parts.add(kHfOutput, "output.weight");
  parts.add(kHfBias, "output.bias");
  return parts.take();
}

std::optional<kernels::Activation> hf_activation(std::string_view name) {
  if (name == "silu") return kernels::Activation::swish;
  for (const kernels::Activation activation : kernels::kActivations) {
    if (name == name_of(activation)) return activation;
  }
  return std::nullopt;
}

TensorParts marian_parts(const nn::TransformerConfig& config) {
  const bool is_pre_norm = config.norm == nn::NormPlacement::pre;
  const LayerNames names = marian_layers(is_pre_norm);
  PartList parts(config, names);
  if (config.tying == nn::Tying::all) {
    parts.add(kMarianShared, source_table(config));
  } else {
    parts.add(kMarianSource, source_table(config));
    parts.add(kMarianTarget, target_table(config));
  }
  parts.add_layers();
  if (is_pre_norm) {
    for (const std::string side : {"encoder", "decoder"}) parts.add_norm(side + "_top_ln_{}", side + ".norm");
  }
  if (config.tying == nn::Tying::none) parts.add(kMarianOutput, "output.weight");
  parts.add(kMarianBias, "output.bias");
  return parts.take();
}

}  // namespace xf::tools::exchange
