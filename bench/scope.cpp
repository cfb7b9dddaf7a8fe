#include "bench/scope.h"

#include "bench/model_sizes.h"

namespace xf::bench {

ModelPreset model_preset(const std::string& name) {
  ModelPreset preset{.name = name, .config = {}, .sentences = 292, .length = 14};
  nn::TransformerConfig& model = preset.config;
  model.label_smoothing = 0.1f;
  model.max_length = 64;  // the short attention path, as in the tasks
  if (name == "base") {
    model.source_vocabulary = 5893;
    model.target_vocabulary = 7855;
    model.dim = 512;
    model.feed_forward = 2048;
    model.heads = 8;
    model.encoder_layers = model.decoder_layers = 6;
    model.dropout = 0.1f;
    preset.sentences = 128;
    preset.length = 32;
    return preset;
  }
  XF_CHECK(name == "tiny", "benchmark: no model is called '{}'", name);
  model.source_vocabulary = model.target_vocabulary = 10000;
  model.tying = nn::Tying::all;
  model.dropout = 0.3f;
  return preset;
}

int64_t ModelPreset::parameters() const {
  nn::ParameterStore store;
  const nn::Transformer model(config, store);
  return store.count();
}

Scope scope_of(const std::string& preset, const tests::Target& target) {
  const bool of_ours = preset != "odd" && !is_language_model(preset);
  return {preset, target, of_ours ? model_preset(preset) : ModelPreset()};
}

Scope small_scope(const Scope& scope) {
  constexpr int64_t kTokens = 130;  // past a block of rows
  Scope small = scope;
  if (!scope.odd()) small.model.sentences = (kTokens + scope.model.length - 1) / scope.model.length;
  return small;
}

}  // namespace xf::bench
