#include "bench/model_sizes.h"

#include <algorithm>

#include "bench/scope.h"

namespace xf::bench {

const std::vector<ModelSizes>& language_models() {
  static const std::vector<ModelSizes> models = {
      // openai-community/gpt2: n_embd, n_head, 4 n_embd, n_positions
      {"gpt2", 768, 12, 12, 64, 3072, 50257, 1, 1024},
      // HuggingFaceTB/SmolLM2-135M
      {"smollm2-135m", 576, 9, 3, 64, 1536, 49152},
      // Qwen/Qwen3-0.6B
      {"qwen3-0.6b", 1024, 16, 8, 128, 3072, 151936},
      // google/gemma-2-2b
      {"gemma2-2b", 2304, 8, 4, 256, 9216, 256000},
      // meta-llama/Llama-3.1-8B
      {"llama3.1-8b", 4096, 32, 8, 128, 14336, 128256},
  };
  return models;
}

namespace {

auto find(const std::string& preset) {
  const auto& all = language_models();
  return std::find_if(all.begin(), all.end(), [&](const ModelSizes& model) { return model.name == preset; });
}

}  // namespace

bool is_language_model(const std::string& preset) { return find(preset) != language_models().end(); }

ModelSizes model_sizes(const std::string& preset) {
  if (is_language_model(preset)) return *find(preset);
  const ModelPreset ours = model_preset(preset);
  const nn::TransformerConfig& config = ours.config;
  return {.name = preset,
          .dim = config.dim,
          .heads = config.heads,
          .key_heads = config.heads,
          .head_dim = config.dim / config.heads,
          .feed_forward = config.feed_forward,
          .vocabulary = config.target_vocabulary,
          .sentences = ours.sentences,
          .length = ours.length};
}

}  // namespace xf::bench
