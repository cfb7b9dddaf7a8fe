#include "tools/exchange/import_model.h"

#include <fmt/core.h>

#include "core/error.h"
#include "tools/exchange/ctranslate2.h"
#include "tools/exchange/hf_marian.h"
#include "tools/exchange/marian.h"
#include "tools/options.h"

namespace xf::tools::exchange {

namespace {

ExchangedModel read(const std::string& folder) {
  if (is_marian(folder)) return read_marian(folder);
  return is_ctranslate2(folder) ? read_ctranslate2(folder) : read_hf_marian(folder);
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

bool is_foreign(const std::string& path) {
  return is_ctranslate2(path) || is_hf_marian(path) || is_marian(path);
}

void refuse_foreign(const std::string& path) {
  if (is_foreign(path))
    fail(ErrorKind::usage,
         "{}: another toolkit's model; take one made of it by xformer-export to xformer -m {} -o DIR", path,
         path);
}

ImportedModel import_model(const std::string& folder) {
  ExchangedModel model = read(folder);
  ImportedModel imported{.checkpoint = {}, .vocabularies = model.vocabularies, .warnings = model.warnings};
  imported.checkpoint.config = configuration_of(model);
  imported.checkpoint.model = std::move(model.tensors);
  imported.checkpoint.companions = model.vocabularies.files();
  describe_vocabularies(model.vocabularies, imported.checkpoint.metadata);
  return imported;
}

}  // namespace xf::tools::exchange
