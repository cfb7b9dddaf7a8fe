#include "tools/formats/import_model.h"
#include "tools/formats/stored_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/error.h"
#include "nn/checkpoint/run_folder.h"
#include "tools/config/training_options.h"
#include "tools/formats/ctranslate2.h"
#include "tools/formats/hf_marian.h"
#include "tools/formats/marian.h"

namespace xf::tools::exchange {

namespace {

namespace fs = std::filesystem;

struct Kind {
  bool (*is)(const std::string& path);
  ExchangedModel (*read)(const std::string& path);
  std::array<const char*, 4>
      beside;  // any of them tells a folder whose main file is missing, which its reader names
};
constexpr std::array kKinds = {
    Kind{is_marian, read_marian, {"decoder.yml", "model.npz.yml", "model.npz.decoder.yml"}},
    Kind{is_ctranslate2, read_ctranslate2, {"shared_vocabulary.json", "source_vocabulary.json"}},
    Kind{is_hf_marian, read_hf_marian, {"source.spm", "target.spm", "vocab.json", "tokenizer_config.json"}}};

// A vocabulary may lie beside what we have trained.
bool is_ours(const std::string& folder) {
  std::error_code unknown;
  return nn::run_contents(folder) != nn::RunContents::others || fs::exists(folder + "/state.json", unknown);
}

const Kind* kind_of(const std::string& path) {
  const auto has_file_of = [&](const Kind& kind) {
    return std::ranges::any_of(kind.beside, [&](const char* name) {
      std::error_code unknown;
      return name && fs::is_regular_file(path + "/" + name, unknown);
    });
  };
  const Kind* found = std::ranges::find_if(kKinds, [&](const Kind& kind) { return kind.is(path); });
  if (found == kKinds.end() && !is_ours(path)) found = std::ranges::find_if(kKinds, has_file_of);
  return found == kKinds.end() ? nullptr : found;
}

const char* name_of(kernels::PositionLayout layout) {
  switch (layout) {
    case kernels::PositionLayout::interleaved: return "interleaved";
    case kernels::PositionLayout::split: return "split";
    case kernels::PositionLayout::marian: return "marian";
  }
  return "";
}

// By which text is cut.
const char* tokenizer_of(const data::Tokenizer& vocabulary) {
  if (std::string_view(vocabulary.extension()) == ".spm") return "spm";
  return vocabulary.serialize().starts_with("#words whitespace") ? "whitespace" : "icu";
}

// A number of a model as it is written, which is shorter than its double.
double written(float value) { return *parse_number(fmt::format("{}", value)); }

ModelSettings settings_of(const ExchangedModel& model) {
  const nn::TransformerConfig& config = model.config;
  ModelSettings settings;
  settings.text.tokenizer = tokenizer_of(*model.vocabularies.source);
  settings.text.joint_vocab = config.tying == nn::Tying::all || model.vocabularies.joint();
  settings.text.vocab_size = model.vocabularies.source->size();
  settings.text.lowercase = model.lowercase;
  settings.text.max_length = config.max_length - 1;
  ModelOptions& sizes = settings.model;
  sizes.dim_emb = config.dim;
  sizes.enc_depth = config.encoder_layers;
  sizes.dec_depth = config.decoder_layers;
  sizes.transformer_heads = config.heads;
  sizes.transformer_dim_ffn = config.feed_forward;
  sizes.norm = config.norm == nn::NormPlacement::pre ? "pre" : "post";
  sizes.layer_norm_epsilon = written(config.norm_epsilon);
  sizes.transformer_ffn_activation = name_of(config.activation);
  sizes.tied_embeddings = config.tying == nn::Tying::target;
  sizes.tied_embeddings_all = config.tying == nn::Tying::all;
  sizes.transformer_train_positions = config.learned_positions;
  sizes.transformer_rotary_positions = config.rotary_positions;
  if (!config.learned_positions && !config.rotary_positions)
    sizes.position_layout = name_of(config.positions);
  sizes.transformer_dropout = written(config.dropout);
  sizes.transformer_dropout_attention = written(config.attention_dropout);
  sizes.transformer_dropout_ffn = written(config.feed_forward_dropout);
  settings.search.beam_size = model.beam_size;
  settings.search.normalize = model.normalize;
  return settings;
}

}  // namespace

bool is_foreign(const std::string& path) { return kind_of(path) != nullptr; }

void refuse_foreign(const std::string& path) {
  if (is_foreign(path))
    fail(ErrorKind::usage,
         "{}: another toolkit's model; convert it with xformer-export to xformer -m {} -o DIR", path, path);
}

ImportedModel import_model(const std::string& folder) {
  const Kind* kind = kind_of(folder);
  XF_CHECK(kind, "{}: no model of another toolkit", folder);
  ExchangedModel model = kind->read(folder);
  ImportedModel imported{.checkpoint = {}, .vocabularies = model.vocabularies, .warnings = model.warnings};
  imported.checkpoint.model_config = to_toml(settings_of(model));
  model_settings_from_toml(imported.checkpoint.model_config,
                           model.where);  // what no option can be is refused
  imported.checkpoint.model = std::move(model.tensors);
  imported.checkpoint.companions = model.vocabularies.files();
  describe_vocabularies(model.vocabularies, imported.checkpoint.metadata);
  return imported;
}

}  // namespace xf::tools::exchange
