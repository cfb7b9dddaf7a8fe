#include "tools/tutorials/model/presets.h"

#include "tools/config/config_file.h"
#include "tools/config/training_options.h"
#include "tools/setup/model_config.h"
#include "tools/setup/read_training_options.h"
#include "tools/tutorials/model/padded_model.h"

namespace xf::nn::quirks {

namespace {

VocabularySizes vocabularies_of(const std::string& task) {
  if (task == "tutorials/by-hand") return {.source = 10, .target = 10};
  if (task.starts_with("tutorials/seq2seq")) return {.target = 7855};
  return {};
}

}  // namespace

Config base() {
  const VocabularySizes vocabularies;
  return {.source_vocabulary = vocabularies.source,
          .target_vocabulary = vocabularies.target,
          .dim = 512,
          .heads = 8,
          .feed_forward = 2048,
          .layers = 6,
          .max_length = 256,
          .source_pad = 1,
          .target_pad = 1,
          .dropout = 0.1f,
          .feed_forward_dropout = 0.1f,
          .quirks = {}};
}

Config preset(const std::string& task) {
  const VocabularySizes vocabularies = vocabularies_of(task);
  const bool is_walk = task == "tutorials/by-hand";
  const tools::TrainingOptions options =
      tools::training_options_from_toml("task = \"" + task + "\"", "preset " + task);
  TransformerConfig sizes = tools::model_config(options, vocabularies.source, vocabularies.target);
  const int32_t pad = is_walk ? 0 : 1;
  sizes.variant = make_padded_variant(options.model.quirks, {pad, pad});
  Config config = padded_config(sizes);
  config.max_length = is_walk ? 10 : sizes.max_length;
  return config;
}

const std::vector<std::string>& preset_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const tools::Preset& one : tools::presets()) {
      const std::string name = one.name;
      if (name.starts_with("tutorials/")) all.push_back(name);
    }
    return all;
  }();
  return names;
}

}  // namespace xf::nn::quirks
