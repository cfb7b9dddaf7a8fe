#include "tools/formats/import_model.h"
#include "tools/formats/model_vocabularies.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/error.h"
#include "nn/checkpoint/run_folder.h"
#include "tools/config/options.h"
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

// As a config.toml has it: sizes from the model, the rest from a task.
std::string configuration_of(const ExchangedModel& model) {
  const nn::TransformerConfig& config = model.config;
  std::string toml = "task = \"transformer-base\"\n";
  const auto set = [&](const char* key, const auto& value) { toml += fmt::format("{} = {}\n", key, value); };
  const auto set_word = [&](const char* key, std::string_view word) {
    set(key, fmt::format("\"{}\"", word));
  };
  set_word("tokenizer", tokenizer_of(*model.vocabularies.source));
  set("joint-vocab", config.tying == nn::Tying::all || model.vocabularies.joint());
  set("vocab-size", model.vocabularies.source->size());
  set("lowercase", model.lowercase);
  set("max-length", config.max_length - 1);
  set("dim-emb", config.dim);
  set("enc-depth", config.encoder_layers);
  set("dec-depth", config.decoder_layers);
  set("transformer-heads", config.heads);
  set("transformer-dim-ffn", config.feed_forward);
  set_word("norm", config.norm == nn::NormPlacement::pre ? "pre" : "post");
  set("layer-norm-epsilon", config.norm_epsilon);
  set_word("transformer-ffn-activation", name_of(config.activation));
  set("tied-embeddings", config.tying == nn::Tying::target);
  set("tied-embeddings-all", config.tying == nn::Tying::all);
  if (config.learned_positions) {
    set("transformer-train-positions", true);
  } else if (config.rotary_positions) {
    set("transformer-rotary-positions", true);
  } else {
    set_word("position-layout", name_of(config.positions));
  }
  set("transformer-dropout", config.dropout);
  set("transformer-dropout-attention", config.attention_dropout);
  set("transformer-dropout-ffn", config.feed_forward_dropout);
  set("beam-size", model.beam_size);
  set("normalize", model.normalize);
  return options_from_toml(Program::train, toml, model.where).to_toml();
}

}  // namespace

bool is_foreign(const std::string& path) { return kind_of(path) != nullptr; }

void refuse_foreign(const std::string& path) {
  if (is_foreign(path))
    fail(ErrorKind::usage,
         "{}: another toolkit's model; take one made of it by xformer-export to xformer -m {} -o DIR", path,
         path);
}

ImportedModel import_model(const std::string& folder) {
  const Kind* kind = kind_of(folder);
  XF_CHECK(kind, "{}: no model of another toolkit", folder);
  ExchangedModel model = kind->read(folder);
  ImportedModel imported{.checkpoint = {}, .vocabularies = model.vocabularies, .warnings = model.warnings};
  imported.checkpoint.config = configuration_of(model);
  imported.checkpoint.model = std::move(model.tensors);
  imported.checkpoint.companions = model.vocabularies.files();
  describe_vocabularies(model.vocabularies, imported.checkpoint.metadata);
  return imported;
}

}  // namespace xf::tools::exchange
