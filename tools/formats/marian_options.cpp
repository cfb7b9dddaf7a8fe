#include "tools/formats/marian_options.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/input_limits.h"
#include "core/number_text.h"
#include "tools/formats/exchanged_model.h"
#include "tools/formats/yaml.h"

namespace xf::tools::exchange {

namespace {

// Of the operations before or behind a block those that are there when a model is used: all but
// dropout.
std::string lasting(std::string operations) {
  std::erase(operations, 'd');
  return operations;
}

// What changes a translation there; its value without effect, as empty lists and false are; and
// whether a search here has an option of this name that does the same. There word-penalty is
// subtracted, and from whole translations alone, max-length is of sources, and max-length-factor's
// limit is without 10 more.
struct SearchOption {
  const char* name;
  double without_effect;
  bool is_here;
};
constexpr SearchOption kSearch[] = {
    {"word-penalty", 0, false},      {"max-length", 1000, false}, {"max-length-crop", 0, false},
    {"max-length-factor", 3, false}, {"allow-special", 0, false}, {"shortlist", 0, false},
    {"output-approx-knn", 0, false}, {"right-left", 0, false},    {"allow-unk", 0, true},
    {"output-sampling", 0, true},    {"force-decode", 0, true},   {"no-spm-encode", 0, true},
    {"no-spm-decode", 0, true},      {"n-best", 0, true}};

}  // namespace

MarianOptions::MarianOptions(std::string_view yaml, std::string path)
    : options_(parse_yaml_options(yaml.substr(0, yaml.find('\0')), path)), path_(std::move(path)) {}

std::string MarianOptions::word(const std::string& name) const {
  const auto found = options_.find(name);
  return found == options_.end() || found->second.empty() ? "" : found->second.front();
}

std::vector<std::string> MarianOptions::words(const std::string& name) const {
  const auto found = options_.find(name);
  return found == options_.end() ? std::vector<std::string>{} : found->second;
}

double MarianOptions::number(const std::string& name, double otherwise) const {
  const std::string text = word(name);
  if (text.empty()) return otherwise;
  const auto value = number_in<double>(text);
  if (!value || !std::isfinite(*value))
    fail(ErrorKind::data, "{}: {} is '{}', which is not a number", path_, name, text);
  return *value;
}

int64_t MarianOptions::integer(const std::string& name, int64_t otherwise) const {
  const double value = number(name, static_cast<double>(otherwise));
  if (value != std::floor(value) || std::abs(value) > 1e9)
    fail(ErrorKind::data, "{}: {} is '{}', which is not a whole number", path_, name, word(name));
  return static_cast<int64_t>(value);
}

std::vector<std::string> MarianOptions::other_search() const {
  std::vector<std::string> found;
  for (const auto& [name, without_effect, is_here] : kSearch) {
    const std::string is = word(name);
    if (is.empty() || is == "false" || is == "null" || number_in<double>(is) == without_effect) continue;
    found.push_back(fmt::format("{}{}", name, is_here ? fmt::format(" (here --{})", name) : ""));
  }
  return found;
}

bool MarianOptions::flag(const std::string& name) const { return word(name) == "true"; }

void MarianOptions::refuse(const std::string& name, const std::string& why) const {
  fail(ErrorKind::usage, "{}: {} is '{}'; {}", path_, name, word(name), why);
}

void MarianOptions::require(const std::string& name, std::string_view wanted, const std::string& why) const {
  if (const std::string is = word(name); !is.empty() && is != wanted) refuse(name, why);
}

nn::NormPlacement MarianOptions::norm() const {
  const std::string before = lasting(word("transformer-preprocess")),
                    behind = lasting(word("transformer-postprocess")),
                    top = lasting(word("transformer-postprocess-top"));
  if (before.empty() && behind == "an" && top.empty()) return nn::NormPlacement::post;
  if (before == "n" && behind == "a" && top == "n") return nn::NormPlacement::pre;
  fail(
      ErrorKind::usage,
      "{}: transformer-preprocess, -postprocess and -postprocess-top are '{}', '{}' and '{}'; models of this "
      "engine are post-norm, '', 'an' and '', or pre-norm, 'n', 'a' and 'n' (d, dropout, may be anywhere)",
      path_, before, behind, top);
}

void MarianOptions::refuse_unknown() const {
  require("transformer-decoder-autoreg", "self-attention", "decoders of this engine have self-attention");
  const std::string two_layers = "feed-forward blocks of this engine have two layers";
  require("transformer-ffn-depth", "2", two_layers);
  if (const std::string depth = word("transformer-decoder-ffn-depth"); depth != "2")
    require("transformer-decoder-ffn-depth", "0", two_layers);
  require("transformer-attention-mask", "default", "attention of this engine has the usual mask");
  if (word("transformer-decoder-dim-ffn") != word("transformer-dim-ffn"))
    require("transformer-decoder-dim-ffn", "0", "models of this engine have one width for both sides");
  require("lemma-dim-emb", "0", "models of this engine have no factors");
  if (!lasting(word("transformer-postprocess-emb")).empty())
    refuse("transformer-postprocess-emb", "models of this engine do not normalise embeddings");
  for (const char* name : {"transformer-train-positions", "transformer-disable-position-embeddings",
                           "transformer-no-projection", "transformer-no-bias", "transformer-no-affine",
                           "transformer-pool", "ulr", "right-left", "original-type"}) {
    if (const std::string is = word(name); !is.empty() && is != "false")
      refuse(name, "models of this engine do not have it");
  }
  if (!words("transformer-tied-layers").empty())
    refuse("transformer-tied-layers", "layers of this engine's models have weights of their own");
  for (const std::string& vocabulary : words("vocabs")) {
    if (vocabulary.ends_with(".fsv")) refuse("vocabs", "this engine has no factored vocabularies");
  }
}

nn::TransformerConfig MarianOptions::config() const {
  if (word("type") != "transformer")
    refuse("type", "Transformers that translate, of type transformer, are read");
  refuse_unknown();
  nn::TransformerConfig config;
  const auto size = [&](const char* name, int64_t otherwise, int64_t most) {
    const int64_t value = integer(name, otherwise);
    if (value < 1 || value > most)
      fail(ErrorKind::data, "{}: {} is {}; it must be from 1 to {}", path_, name, value, most);
    return value;
  };
  config.dim = size("dim-emb", 512, limits::kWidest);
  config.heads = size("transformer-heads", 8, limits::kWidest);
  config.feed_forward = size("transformer-dim-ffn", 2048, limits::kWidestFeedForward);
  config.encoder_layers = size("enc-depth", 1, limits::kMostLayers);
  config.decoder_layers = size("dec-depth", 1, limits::kMostLayers);
  config.norm = norm();
  config.norm_epsilon = 1e-6f;
  config.positions = kernels::PositionLayout::marian;
  config.max_length = size("max-length", 100, limits::kLongestSentence) + 1;
  const std::string activation = word("transformer-ffn-activation");
  if (activation == "relu") {
    config.activation = kernels::Activation::relu;
  } else if (activation == "swish") {
    config.activation = kernels::Activation::swish;
  } else {
    refuse("transformer-ffn-activation", "relu and swish are read (Marian's gelu is an approximation)");
  }
  const auto dropout = [&](const char* name) {
    return static_cast<float>(std::clamp(number(name, 0), 0.0, 0.99));
  };
  config.dropout = dropout("transformer-dropout");
  config.attention_dropout = dropout("transformer-dropout-attention");
  config.feed_forward_dropout = dropout("transformer-dropout-ffn");
  return config;
}

}  // namespace xf::tools::exchange
