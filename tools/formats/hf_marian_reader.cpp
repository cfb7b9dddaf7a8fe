#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/input_limits.h"
#include "data/vocabularies.h"
#include "tools/console/progress.h"
#include "tools/formats/foreign_vocabulary.h"
#include "tools/formats/hf_generation.h"
#include "tools/formats/hf_marian.h"
#include "tools/formats/hf_weights.h"
#include "tools/formats/settings.h"
#include "tools/formats/tensor_names.h"

namespace xf::tools::exchange {

namespace {

namespace fs = std::filesystem;

int64_t size_of(const Settings& settings, const char* key, int64_t most) {
  const int64_t value = settings.required_integer(key);
  if (value < 1 || value > most)
    fail(ErrorKind::data, "{}: {} is {}; it must be from 1 to {}", settings.path(), key, value, most);
  return value;
}

float dropout_of(const Settings& settings, const char* key) {
  const double rate = settings.number(key).value_or(0);
  if (!(rate >= 0 && rate <= kMostDropout))
    fail(ErrorKind::data, "{}: {} is {}; it must be from 0 to {}", settings.path(), key, rate, kMostDropout);
  return static_cast<float>(rate);
}

int64_t common_size(const Settings& settings, const char* encoder, const char* decoder, int64_t most) {
  const int64_t source = size_of(settings, encoder, most), target = size_of(settings, decoder, most);
  if (source != target)
    fail(ErrorKind::usage, "{}: {} is {} and {} is {}; models of this engine have one for both",
         settings.path(), encoder, source, decoder, target);
  return source;
}

constexpr const char *kShared = "share_encoder_decoder_embeddings", *kTied = "tie_word_embeddings";

bool is_shared(const Settings& settings) { return settings.flag(kShared).value_or(true); }
bool is_tied(const Settings& settings) { return settings.flag(kTied).value_or(true); }

// Where both sides share a table and the output does not, ours has it twice.
nn::Tying tying_of(const Settings& settings) {
  if (!is_tied(settings)) return nn::Tying::none;
  return is_shared(settings) ? nn::Tying::all : nn::Tying::target;
}

// The names under which the target's table may be stored; the source's among them where both sides
// share it. Error data, naming them, for two that differ.
std::vector<const char*> names_of_table(const StoredWeights& weights, const Settings& settings) {
  std::vector<const char*> names =
      is_shared(settings) ? std::vector{kHfShared, kHfTarget, kHfSource} : std::vector{kHfTarget};
  if (is_tied(settings)) names.push_back(kHfOutput);
  const char* first = nullptr;
  for (const char* name : names) {
    if (!weights.has(name)) continue;
    if (!first) first = name;
    if (!weights.same(first, name))
      fail(ErrorKind::data, "{}: {} and {} differ, and {} in {} makes them one; correct that or the file",
           weights.path(), first, name, name == std::string_view(kHfOutput) ? kTied : kShared,
           settings.path());
  }
  return names;
}

nn::TransformerConfig config_of(const Settings& settings) {
  if (const auto type = settings.text("model_type"); type.value_or("") != "marian")
    fail(ErrorKind::usage, "{}: model_type is '{}'; MarianMT models, 'marian', are read", settings.path(),
         type.value_or(""));
  settings.require_flag("scale_embedding", true, false,
                        "models of this engine scale embeddings by sqrt(d_model)");
  settings.require_flag("normalize_embedding", false, false,
                        "models of this engine do not normalise embeddings");
  settings.require_flag("normalize_before", false, false, "MarianMT itself does not look at it");
  settings.require_flag("add_final_layer_norm", false, false, "MarianMT itself does not look at it");
  nn::TransformerConfig config;
  config.source_vocabulary = size_of(settings, "vocab_size", limits::kMostPieces);
  config.target_vocabulary = settings.integer("decoder_vocab_size")
                                 ? size_of(settings, "decoder_vocab_size", limits::kMostPieces)
                                 : config.source_vocabulary;
  config.dim = size_of(settings, "d_model", limits::kWidest);
  config.heads = common_size(settings, "encoder_attention_heads", "decoder_attention_heads", limits::kWidest);
  config.feed_forward =
      common_size(settings, "encoder_ffn_dim", "decoder_ffn_dim", limits::kWidestFeedForward);
  config.encoder_layers = size_of(settings, "encoder_layers", limits::kMostLayers);
  config.decoder_layers = size_of(settings, "decoder_layers", limits::kMostLayers);
  const std::string name = settings.text("activation_function").value_or("gelu");
  const auto activation = hf_activation(name);
  if (!activation)
    fail(ErrorKind::usage, "{}: activation_function is '{}'; relu, gelu, swish and silu are known",
         settings.path(), name);
  config.activation = *activation;
  config.positions = kernels::PositionLayout::split;
  config.tying = tying_of(settings);
  if (config.tying == nn::Tying::all && config.source_vocabulary != config.target_vocabulary)
    fail(ErrorKind::data, "{}: vocab_size is {} and decoder_vocab_size {}, of one table for both sides",
         settings.path(), config.source_vocabulary, config.target_vocabulary);
  config.max_length = settings.integer("max_position_embeddings")
                          ? size_of(settings, "max_position_embeddings", limits::kLongestSentence)
                          : 512;
  config.dropout = dropout_of(settings, "dropout");
  config.attention_dropout = dropout_of(settings, "attention_dropout");
  config.feed_forward_dropout = dropout_of(settings, "activation_dropout");
  return checked(config);
}

// Where they are stored, they must be the sinusoids that the class computes.
void check_positions(const StoredWeights& weights, const nn::TransformerConfig& config) {
  constexpr float kRounding = 2e-3f;  // of f16
  for (const std::string side : {"encoder", "decoder"}) {
    const std::string name = "model." + side + ".embed_positions.weight";
    if (!weights.has(name)) continue;
    const Tensor stored = weights.tensor(name);
    bool same = stored.rank() == 2 && stored.width() == config.dim;
    if (same) {
      const Tensor computed = sinusoids(config, stored.rows());
      for (int64_t i = 0; same && i < stored.numel(); ++i)
        same = std::abs(stored.data<float>()[i] - computed.data<float>()[i]) <= kRounding;
    }
    if (!same) fail(ErrorKind::usage, "{}: {} are not the sinusoids of MarianMT", weights.path(), name);
  }
}

Tensor tensor_of(const StoredWeights& weights, const std::string& name, const Settings& settings,
                 const nn::TransformerConfig& config) {
  if (name == kHfShared || name == kHfTarget || (name == kHfSource && is_shared(settings)))
    return weights.tensor(weights.first_of(names_of_table(weights, settings)));
  if (name == kHfSource && !weights.has(name))
    fail(ErrorKind::data, "{}: has no {}, and {} is false in {}", weights.path(), name, kShared,
         settings.path());
  if (name == kHfBias && !weights.has(name)) return Tensor::zeros({1, config.target_vocabulary}, DType::f32);
  return weights.tensor(name);
}

// What of tokenizer_config.json matters here.
struct TokenizerSettings {
  bool lowercase = false, separate = false;
  std::string path, end = "</s>";
};

TokenizerSettings tokenizer_settings(const std::string& folder) {
  TokenizerSettings result{.path = folder + "/tokenizer_config.json"};
  if (!is_there(result.path)) return result;
  const Settings settings = Settings::read(result.path);
  result.lowercase = settings.flag("lowercase").value_or(false);
  result.separate = settings.flag("separate_vocabs").value_or(false);
  const nlohmann::json* end = settings.find("eos_token");
  if (end && end->is_object()) end = end->contains("content") ? &end->at("content") : nullptr;
  if (end && end->is_string()) result.end = end->get<std::string>();
  return result;
}

const std::string& piece_at(const std::vector<std::string>& pieces, const HfId& id) {
  if (id.value < 0 || id.value >= static_cast<int64_t>(pieces.size()))
    fail(ErrorKind::data, "{}: {} is {}, and the vocabulary has {} pieces", id.path, id.key, id.value,
         pieces.size());
  return pieces[static_cast<size_t>(id.value)];
}

// The pieces that a search knows by their ids.
data::SpecialPieces specials_of(const std::vector<std::string>& pieces, const Settings& settings,
                                const HfGeneration& generation, const TokenizerSettings& tokenizer) {
  constexpr const char* kPad = "pad_token_id";
  const HfId pad{settings.required_integer(kPad), kPad, settings.path()},
      eos = generation.end().value_or(HfId{0, "eos_token_id", settings.path()});
  data::SpecialPieces specials;
  specials.pad = piece_at(pieces, pad);
  specials.eos = piece_at(pieces, eos);
  specials.bos = piece_at(pieces, generation.start().value_or(pad));
  if (specials.eos == specials.unk || eos.value == pad.value)
    fail(ErrorKind::data, "{}: {} is {}, which is {}; a sentence needs a separate end token", eos.path,
         eos.key, eos.value, specials.eos);
  if (specials.eos != tokenizer.end)
    fail(ErrorKind::usage, "{}: {} is {}, which is '{}', and {} ends a source with '{}'; here both end alike",
         eos.path, eos.key, eos.value, specials.eos, tokenizer.path, tokenizer.end);
  return specials;
}

data::Vocabularies read_vocabularies(const std::string& folder, const Settings& settings,
                                     const HfGeneration& generation, const nn::TransformerConfig& config,
                                     std::vector<std::string>& warnings) {
  const TokenizerSettings tokenizer = tokenizer_settings(folder);
  const auto list = [&](const std::string& name, int64_t size) {
    const std::string path = folder + "/" + name;
    const std::vector<std::string> pieces = parse_pieces(read_model_text(path), path);
    if (static_cast<int64_t>(pieces.size()) != size)
      fail(ErrorKind::data, "{}: {} pieces, and config.json says {}", path, pieces.size(), size);
    return ForeignVocabulary{pieces, specials_of(pieces, settings, generation, tokenizer)};
  };
  if (const std::string missing = missing_text_model(folder); !missing.empty())
    fail(ErrorKind::data, "{}: no {} in this folder; copy it again", folder, missing);
  const ForeignVocabulary source = list("vocab.json", config.source_vocabulary);
  const bool has_target = is_there(folder + "/target_vocab.json");
  if (tokenizer.separate && !has_target)
    fail(ErrorKind::data,
         "{}: has no target_vocab.json, and tokenizer_config.json says separate_vocabs; copy it again",
         folder);
  if (!has_target) return foreign_vocabularies(folder, source, source, true, warnings);
  return foreign_vocabularies(folder, source, list("target_vocab.json", config.target_vocabulary), false,
                              warnings);
}

// As transformers has it: what its class does not have is passed over, and told. The names of tied
// tensors are all known.
void tell_left_over(const StoredWeights& weights, std::vector<std::string>& warnings) {
  std::vector<std::string> names = weights.left_over();
  std::erase_if(names, [](const std::string& name) {
    return name == kHfShared || name == kHfSource || name == kHfTarget || name == kHfOutput;
  });
  if (!names.empty())
    warnings.push_back(fmt::format("{}: {} of it, such as {}, {} none of MarianMT's and left out",
                                   weights.path(), counted(static_cast<int64_t>(names.size()), "tensor"),
                                   names.front(), names.size() == 1 ? "is" : "are"));
}

}  // namespace

bool is_hf_marian(const std::string& folder) {
  std::error_code unknown;
  const auto has = [&](const char* name) { return fs::is_regular_file(folder + name, unknown); };
  // Our checkpoints have a state.json.
  return has("/config.json") && !has("/state.json") && has_hf_weights(folder);
}

ExchangedModel read_hf_marian(const std::string& folder) {
  const Settings settings = Settings::read(folder + "/config.json");
  ExchangedModel model;
  model.where = folder;
  model.config = config_of(settings);
  const StoredWeights weights = read_hf_weights(folder);
  check_positions(weights, model.config);
  const TensorParts parts = hf_marian_parts(model.config);
  const auto theirs = [&](const std::string& name) {
    return tensor_of(weights, name, settings, model.config);
  };
  model.tensors = joined_model(theirs, parts, model.config, weights.bytes(), weights.path());
  tell_left_over(weights, model.warnings);
  model.lowercase = tokenizer_settings(folder).lowercase;
  const HfGeneration generation(folder, settings);
  model.vocabularies = read_vocabularies(folder, settings, generation, model.config, model.warnings);
  generation.take_to(model);
  return model;
}

}  // namespace xf::tools::exchange
