#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <ranges>

#include "core/mapped_file.h"
#include "nn/model.h"
#include "tools/exchange/ctranslate2.h"
#include "tools/exchange/ctranslate2_file.h"
#include "tools/exchange/ctranslate2_names.h"
#include "tools/exchange/foreign_vocabulary.h"
#include "tools/exchange/settings.h"

namespace xf::tools::exchange {

namespace {

constexpr const char* kFile = "/model.bin";
constexpr const char* kScale = "_scale";

// The variables by name, aliases resolved, as numbers and tensors.
class Variables {
 public:
  explicit Variables(const std::string& path) : path_(path), mapped_(path) {
    const CTranslate2File file = parse_ctranslate2_file(mapped_.bytes(), path);
    if (file.specification != "TransformerSpec")
      fail(ErrorKind::usage, "{}: a {}; translation models of CTranslate2, TransformerSpec, are read", path,
           file.specification);
    arrays_ = {file.variables.begin(), file.variables.end()};
    for (const auto& [alias, name] : file.aliases) {
      arrays_[alias] = arrays_.at(name);
      // The scales of weights in eight bits come along.
      if (const auto scale = arrays_.find(name + kScale); scale != arrays_.end())
        arrays_[alias + kScale] = scale->second;
    }
  }

  bool has(const std::string& name) const { return arrays_.contains(name); }
  const StoredArray& array(const std::string& name) const {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) fail(ErrorKind::data, "{}: has no {}", path_, name);
    return found->second;
  }
  double number(const std::string& name, double otherwise) const {
    if (!has(name)) return otherwise;
    const Tensor value = f32_values(array(name), path_ + ": " + name);
    if (value.numel() != 1) fail(ErrorKind::data, "{}: {} is no number", path_, name);
    return static_cast<double>(value.data<float>()[0]);
  }
  int64_t extent(const std::string& name, size_t axis) const {
    const StoredArray& found = array(name);
    if (found.shape.size() != 2) fail(ErrorKind::data, "{}: {} is no matrix", path_, name);
    return found.shape[axis];
  }
  // Stored once, under either name.
  bool same(const std::string& a, const std::string& b) const {
    return has(a) && has(b) && array(a).bytes.data() == array(b).bytes.data();
  }
  // Weights in eight bits times their rows' scales.
  Tensor tensor(const std::string& name) const {
    const StoredArray& stored = array(name);
    const Tensor values = f32_values(stored, path_ + ": " + name);
    if (stored.type == ArrayType::i8 || stored.type == ArrayType::i16) scale_rows(name, values);
    return values;
  }
  const std::map<std::string, StoredArray>& all() const { return arrays_; }
  const std::string& path() const { return path_; }

 private:
  void scale_rows(const std::string& name, const Tensor& values) const {
    const Tensor scales = f32_values(array(name + kScale), path_ + ": " + name + kScale);
    if (values.rank() != 2 || (scales.numel() != 1 && scales.numel() != values.rows()))
      fail(ErrorKind::data, "{}: {} scales do not fit {}", path_, scales.numel(), name);
    for (int64_t i = 0; i < values.rows(); ++i) {
      const float scale = scales.data<float>()[scales.numel() == 1 ? 0 : i];
      for (int64_t j = 0; j < values.width(); ++j) values.data<float>()[i * values.width() + j] /= scale;
    }
  }

  std::string path_;
  MappedFile mapped_;
  std::map<std::string, StoredArray> arrays_;
};

int64_t layers_of(const Variables& variables, const std::string& side) {
  int64_t count = 0;
  while (variables.has(fmt::format("{}/layer_{}/self_attention/linear_0/weight", side, count))) ++count;
  return count;
}

// What CTranslate2 has and the engine has not.
void refuse_unknown(const Variables& variables) {
  const auto refuse = [&](const std::string& what) {
    fail(ErrorKind::usage, "{}: has {}, which models of this engine do not have", variables.path(), what);
  };
  for (const char* side : {"encoder/", "decoder/"}) {
    const std::string of(side);
    if (variables.number(of + "scale_embeddings", 1) != 1) refuse(of + "scale_embeddings other than 1");
    for (const char* name : {"multi_query_attention", "embeddings_merge", "alibi",
                             "start_from_zero_embedding", "rms_norm", "use_flash_attention"})
      if (variables.number(of + name, 0) != 0) refuse(of + name);
  }
  for (const auto& [name, array] : variables.all()) {
    for (const char* part : {"layernorm_embedding", "relative_position", "/attention/rotary",
                             "rotary_scaling", "rotary_low_freq", "rotary_high_freq", "embeddings_1/",
                             "project_in", "linear_0_noact", "shared_layer_norm"})
      if (name.find(part) != std::string::npos) refuse(name);
  }
}

int64_t common_number(const Variables& variables, const std::string& name, double otherwise) {
  const double source = variables.number("encoder/" + name, otherwise),
               target = variables.number("decoder/" + name, otherwise);
  if (source != target)
    fail(ErrorKind::usage,
         "{}: {} is {} in the encoder and {} in the decoder; models of this engine have one",
         variables.path(), name, source, target);
  return std::llround(source);
}

bool close(const Tensor& a, const Tensor& b, float tolerance) {
  if (a.shape() != b.shape()) return false;
  const auto *x = a.data<float>(), *y = b.data<float>();
  return std::ranges::all_of(std::views::iota(int64_t{0}, a.numel()),
                             [&](int64_t i) { return std::abs(x[i] - y[i]) <= tolerance; });
}

// Rotary positions are those of all layers, and as this engine has them.
bool has_rotary(const Variables& variables, const nn::TransformerConfig& config) {
  int64_t with = 0, without = 0;
  for_each_ctranslate2_rotary(config, [&](const std::string& name) {
    if (!variables.has(name + "dim")) return void(++without);
    ++with;
    const double dim = variables.number(name + "dim", 0);
    if ((dim == 0 || dim == static_cast<double>(config.dim / config.heads)) &&
        variables.number(name + "interleave", 1) == 0 &&
        variables.number(name + "base", nn::Model::kRotaryBase) == nn::Model::kRotaryBase)
      return;
    fail(ErrorKind::usage,
         "{}: {}*: rotary positions of this engine turn whole heads, in pairs half a head apart, with a base "
         "of {:g}",
         variables.path(), name, nn::Model::kRotaryBase);
  });
  if (with > 0 && without > 0)
    fail(ErrorKind::usage,
         "{}: positions are rotary in {} of {} layers; models of this engine are of one kind",
         variables.path(), with, with + without);
  return with > 0;
}

// The stored tables are the engine's sinusoids, in one of their orders, or positions that were learnt.
void find_positions(const Variables& variables, nn::TransformerConfig& config) {
  config.rotary_positions = has_rotary(variables, config);
  if (config.rotary_positions) return;
  constexpr float kRounding = 1e-3f;  // of f16
  const Tensor source = variables.tensor(kCTranslate2Positions[0]),
               target = variables.tensor(kCTranslate2Positions[1]);
  if (source.rank() != 2 || source.width() != config.dim || source.rows() < 2)
    fail(ErrorKind::data, "{}: {} is {}, and the model is {} wide", variables.path(),
         kCTranslate2Positions[0], source.shape().to_string(), config.dim);
  for (const auto layout : {kernels::PositionLayout::interleaved, kernels::PositionLayout::split,
                            kernels::PositionLayout::marian}) {
    config.positions = layout;
    const Tensor table = sinusoids(config, source.rows());
    if (close(source, table, kRounding) && close(target, table, kRounding)) return;
  }
  config.positions = kernels::PositionLayout::interleaved;
  config.learned_positions = true;
  config.max_length = source.rows();
}

nn::TransformerConfig config_of(const Variables& variables) {
  nn::TransformerConfig config;
  config.encoder_layers = layers_of(variables, "encoder");
  config.decoder_layers = layers_of(variables, "decoder");
  config.source_vocabulary = variables.extent(kCTranslate2Source, 0);
  config.target_vocabulary = variables.extent(kCTranslate2Target, 0);
  config.dim = variables.extent(kCTranslate2Target, 1);
  config.feed_forward = variables.extent("encoder/layer_0/ffn/linear_0/weight", 0);
  config.heads = common_number(variables, "num_heads", 8);
  if (config.heads < 1)
    fail(ErrorKind::data, "{}: num_heads is {}; 1 or more would be one", variables.path(), config.heads);
  config.norm =
      common_number(variables, "pre_norm", 1) != 0 ? nn::NormPlacement::pre : nn::NormPlacement::post;
  const int64_t number = common_number(variables, "activation", 0);
  const auto activation = ctranslate2_activation(static_cast<int>(number));
  if (!activation)
    fail(ErrorKind::usage, "{}: activation {}; ReLU, GELU and swish (0, 3 and 2) are known", variables.path(),
         number);
  config.activation = *activation;
  if (variables.same(kCTranslate2Output, kCTranslate2Target))
    config.tying =
        variables.same(kCTranslate2Source, kCTranslate2Target) ? nn::Tying::all : nn::Tying::target;
  find_positions(variables, config);
  return config;
}

// What the decoder begins with, "<s>" where the file names nothing. Error data if it names a token that the target lacks.
std::string start_token(const Settings& settings, const std::vector<std::string>& target) {
  for (const char* key : {"decoder_start_token", "bos_token"}) {
    const std::optional<std::string> token = settings.text(key);
    if (!token) continue;
    if (std::ranges::find(target, *token) == target.end())
      fail(ErrorKind::data, "{}: {} is '{}', which the target's vocabulary lacks", settings.path(), key,
           *token);
    return *token;
  }
  return "<s>";
}

Vocabularies vocabularies_of(const std::string& folder, const Settings& settings,
                             std::vector<std::string>& warnings) {
  data::SpecialPieces specials;
  specials.unk = settings.text("unk_token").value_or("<unk>");
  specials.eos = settings.text("eos_token").value_or("</s>");
  const auto there = [&](const char* name) { return std::filesystem::exists(folder + "/" + name); };
  const auto pieces_of = [&](const std::string& name) {
    const std::string path = folder + "/" + name;
    return parse_pieces(MappedFile(path).bytes(), path);
  };
  const bool joint = there("shared_vocabulary.json");
  if (!joint && !there("source_vocabulary.json") && !there("target_vocabulary.json"))
    fail(ErrorKind::data,
         "{}: neither shared_vocabulary.json nor source_vocabulary.json and target_vocabulary.json in this "
         "folder; copy it again",
         folder);
  const std::vector<std::string> source =
                                     pieces_of(joint ? "shared_vocabulary.json" : "source_vocabulary.json"),
                                 target = joint ? source : pieces_of("target_vocabulary.json");
  specials.bos = start_token(settings, target);
  const auto vocabulary_of = [&](const std::vector<std::string>& pieces) {
    ForeignVocabulary vocabulary{pieces, specials};
    for (std::string* special : {&vocabulary.specials.bos, &vocabulary.specials.pad}) {
      if (std::ranges::find(pieces, *special) == pieces.end()) special->clear();
    }
    return vocabulary;
  };
  return foreign_vocabularies(folder, vocabulary_of(source), vocabulary_of(target), joint, warnings);
}

}  // namespace

bool is_ctranslate2(const std::string& folder) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(folder + kFile, unknown);
}

ExchangedModel read_ctranslate2(const std::string& folder) {
  const Variables variables(folder + kFile);
  const Settings settings = Settings::read(folder + "/config.json");
  settings.require_flag("add_source_bos", false, false, "models of this engine read the source without <s>");
  settings.require_flag("add_source_eos", true, false, "models of this engine read the source with </s>");
  if (const double epsilon = settings.number("layer_norm_epsilon").value_or(1e-5); epsilon != 1e-5)
    fail(ErrorKind::usage, "{}: layer_norm_epsilon is {}; models of this engine have 1e-5", settings.path(),
         epsilon);
  refuse_unknown(variables);
  ExchangedModel model;
  model.where = folder;
  model.config = checked(config_of(variables));
  model.lowercase = settings.flag("lowercase").value_or(false);
  model.vocabularies = vocabularies_of(folder, settings, model.warnings);
  const TensorParts parts = ctranslate2_parts(model.config);
  const auto theirs = [&](const std::string& name) { return variables.tensor(name); };
  model.tensors = joined_model(theirs, parts, model.config, folder);
  return model;
}

}  // namespace xf::tools::exchange
