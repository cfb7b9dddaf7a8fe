#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ranges>
#include <string_view>

#include "core/input_limits.h"
#include "data/vocabularies.h"
#include "nn/model.h"
#include "nn/norm.h"
#include "tools/formats/ctranslate2.h"
#include "tools/formats/ctranslate2_variables.h"
#include "tools/formats/ctranslate2_vocabularies.h"
#include "tools/formats/settings.h"
#include "tools/formats/tensor_names.h"
#include "tools/formats/zero_beginning.h"

namespace xf::tools::exchange {

namespace {

constexpr const char* kFile = "/model.bin";
constexpr const char* kBias = "decoder/projection/bias";

int64_t layers_of(const CTranslate2Variables& variables, const std::string& side) {
  int64_t count = 0;
  while (variables.has(fmt::format("{}/layer_{}/self_attention/linear_0/weight", side, count))) {
    if (++count > limits::kMostLayers)
      fail(ErrorKind::data, "{}: its {} has more than {} layers", variables.path(), side,
           limits::kMostLayers);
  }
  return count;
}

// What CTranslate2 has and the engine has not, as far as it would be missed otherwise only.
void refuse_unknown(const CTranslate2Variables& variables) {
  for (const char* side : {"encoder/", "decoder/"}) {
    for (const char* name : {"multi_query_attention", "alibi"}) {
      const std::string variable = std::string(side) + name;
      if (variables.number(variable, 0) != 0) variables.refuse({variable.c_str()});
    }
  }
  variables.refuse({"layernorm_embedding", "relative_position", "relative_attention", "relative_asymmetric",
                    "/attention/rotary", "rotary_scaling", "rotary_low_freq", "rotary_high_freq",
                    "embeddings_1/", "project_in", "linear_0_noact", "shared_layer_norm"});
}

int64_t common_number(const CTranslate2Variables& variables, const std::string& name, double otherwise) {
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
bool has_rotary(const CTranslate2Variables& variables, const nn::TransformerConfig& config) {
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
         "{}: {}*: rotary positions of this engine rotate whole heads, in pairs half a head apart, with a "
         "base of {:g}",
         variables.path(), name, nn::Model::kRotaryBase);
  });
  if (with > 0 && without > 0)
    fail(ErrorKind::usage,
         "{}: positions are rotary in {} of {} layers; models of this engine are of one kind",
         variables.path(), with, with + without);
  return with > 0;
}

// What is added at each place, [places, D]. Where a file has none, CTranslate2 adds those of
// OpenNMT-tf, which counts from 1.
Tensor positions_of(const CTranslate2Variables& variables, const std::string& name,
                    nn::TransformerConfig config) {
  if (variables.has(name)) return variables.tensor(name);
  config.positions = kernels::PositionLayout::marian;
  return sinusoids(config, nn::Model::kMaxPositions + 1).slice_rows(1, nn::Model::kMaxPositions + 1);
}

// The stored tables are the engine's sinusoids, in one of their orders, or other positions, as if
// these were learnt.
void find_positions(const CTranslate2Variables& variables, nn::TransformerConfig& config) {
  config.rotary_positions = has_rotary(variables, config);
  if (config.rotary_positions) return;
  constexpr float kRounding = 1e-3f;  // of f16
  const Tensor source = positions_of(variables, kCTranslate2Positions[0], config),
               target = positions_of(variables, kCTranslate2Positions[1], config);
  for (const auto& [name, table] :
       {std::pair(kCTranslate2Positions[0], source), {kCTranslate2Positions[1], target}}) {
    if (table.rank() != 2 || table.width() != config.dim || table.rows() < 2)
      fail(ErrorKind::data, "{}: {} is {}, and the model is {} wide", variables.path(), name,
           table.shape().to_string(), config.dim);
  }
  for (const auto layout : {kernels::PositionLayout::interleaved, kernels::PositionLayout::split,
                            kernels::PositionLayout::marian}) {
    config.positions = layout;
    if (close(source, sinusoids(config, source.rows()), kRounding) &&
        close(target, sinusoids(config, target.rows()), kRounding))
      return;
  }
  config.positions = kernels::PositionLayout::interleaved;
  config.learned_positions = true;
  config.max_length = std::min(source.rows(), target.rows());
}

// What the embeddings of a side are multiplied by: a flag for sqrt(D), or the number itself.
double scale_of(const CTranslate2Variables& variables, const std::string& side, int64_t dim) {
  const std::string name = side + "/scale_embeddings";
  const double value = variables.number(name, 1), root = std::sqrt(static_cast<double>(dim));
  if (!variables.has(name) || (variables.is_flag(name) && value != 0)) return root;
  return variables.is_flag(name) ? 1 : value;
}

// How much larger that is than sqrt(D), which the engine multiplies by: 1 but for rounding in most
// models.
double excess_of(const CTranslate2Variables& variables, const std::string& side, int64_t dim) {
  const double excess = scale_of(variables, side, dim) / std::sqrt(static_cast<double>(dim));
  return std::abs(excess - 1) < 1e-6 ? 1 : excess;
}

// A table that is to be multiplied otherwise than by sqrt(D) is one of its own.
nn::Tying tying_of(const CTranslate2Variables& variables, int64_t dim) {
  if (!variables.same(kCTranslate2Output, kCTranslate2Target) || excess_of(variables, "decoder", dim) != 1)
    return nn::Tying::none;
  return variables.same(kCTranslate2Source, kCTranslate2Target) && excess_of(variables, "encoder", dim) == 1
             ? nn::Tying::all
             : nn::Tying::target;
}

nn::TransformerConfig config_of(const CTranslate2Variables& variables) {
  nn::TransformerConfig config;
  config.encoder_layers = layers_of(variables, "encoder");
  config.decoder_layers = layers_of(variables, "decoder");
  config.source_vocabulary = variables.extent(kCTranslate2Source, 0);
  config.target_vocabulary = variables.extent(kCTranslate2Target, 0);
  config.dim = variables.extent(kCTranslate2Target, 1);
  const char* const kFirst = "encoder/layer_0/self_attention/linear_0/weight";
  if (const int64_t width = variables.extent(kFirst, 1); width != config.dim || width > limits::kWidest)
    fail(ErrorKind::data, "{}: embeddings are {} wide, and {} is {}; both must be the same, up to {}",
         variables.path(), config.dim, kFirst, width, limits::kWidest);
  config.feed_forward = variables.extent("encoder/layer_0/ffn/linear_0/weight", 0);
  config.heads = common_number(variables, "num_heads", 8);
  if (config.heads < 1)
    fail(ErrorKind::data, "{}: num_heads is {}; it must be 1 or more", variables.path(), config.heads);
  config.norm =
      common_number(variables, "pre_norm", 1) != 0 ? nn::NormPlacement::pre : nn::NormPlacement::post;
  const int64_t number = common_number(variables, "activation", 0);
  const auto activation = ctranslate2_activation(static_cast<int>(number));
  if (!activation)
    fail(
        ErrorKind::usage,
        "{}: activation {} (1 and 4 are approximations of GELU); ReLU, GELU and swish (0, 3 and 2) are known",
        variables.path(), number);
  config.activation = *activation;
  if (config.norm == nn::NormPlacement::pre && !variables.has("encoder/layer_norm/gamma"))
    fail(ErrorKind::usage, "{}: pre-norm without a norm on top; models of this engine have one",
         variables.path());
  if (!variables.has("encoder/layer_0/ffn/layer_norm/beta"))
    fail(ErrorKind::usage, "{}: norms without beta (RMS); models of this engine have layer normalisation",
         variables.path());
  config.tying = tying_of(variables, checked(config).dim);
  find_positions(variables, config);
  return config;
}

bool begins_with_zeros(const CTranslate2Variables& variables) {
  return variables.number("decoder/start_from_zero_embedding", 0) != 0;
}

// A tensor of theirs as ours has it: embeddings as multiplied here, a row for the beginning that
// the vocabularies have more than the file (zero_beginning.h), positions for both sides as many,
// zeros for a bias that is not stored.
class Tensors {
 public:
  Tensors(const CTranslate2Variables& variables, const nn::TransformerConfig& config,
          const data::Vocabularies& vocabularies)
      : variables_(variables), config_(config), vocabularies_(vocabularies) {}

  Tensor operator()(const std::string& name) const {
    if (name == kCTranslate2Source) return embeddings(name, "encoder", *vocabularies_.source);
    if (name == kCTranslate2Target) return embeddings(name, "decoder", *vocabularies_.target);
    if (name == kCTranslate2Output) return rows(name, variables_.tensor(name), *vocabularies_.target);
    if (name == kBias)
      return begins(*vocabularies_.target) ? with_beginning_bias(or_zeros(name)) : or_zeros(name);
    if (name == kCTranslate2Positions[0] || name == kCTranslate2Positions[1])
      return positions_of(variables_, name, config_).slice_rows(0, config_.max_length);
    return or_zeros(name);
  }

 private:
  // Whether the vocabulary has the piece that is added.
  bool begins(const data::Tokenizer& vocabulary) const {
    return begins_with_zeros(variables_) && vocabulary.bos_id() >= 0 &&
           vocabulary.bos_id() == vocabulary.size() - 1;
  }
  Tensor rows(const std::string& name, const Tensor& table, const data::Tokenizer& vocabulary) const {
    const int64_t pieces = vocabulary.size() - (begins(vocabulary) ? 1 : 0);
    if (table.rank() != 2 || table.rows() != pieces)
      fail(ErrorKind::data, "{}: {} is {}, and its vocabulary has {} pieces; copy both again",
           variables_.path(), name, table.shape().to_string(), pieces);
    return begins(vocabulary) ? with_beginning(table) : table;
  }
  Tensor embeddings(const std::string& name, const char* side, const data::Tokenizer& vocabulary) const {
    const Tensor table = variables_.tensor(name);
    if (const double excess = excess_of(variables_, side, config_.dim); excess != 1) {
      for (int64_t i = 0; i < table.numel(); ++i) table.data<float>()[i] *= static_cast<float>(excess);
    }
    return rows(name, table, vocabulary);
  }
  Tensor or_zeros(const std::string& name) const {
    constexpr std::string_view kEnd = "/bias";
    if (variables_.has(name) || !name.ends_with(kEnd)) return variables_.tensor(name);
    const std::string weight = name.substr(0, name.size() - kEnd.size()) + "/weight";
    return Tensor::zeros({variables_.extent(weight, 0)}, DType::f32);
  }

  const CTranslate2Variables& variables_;
  const nn::TransformerConfig& config_;
  const data::Vocabularies& vocabularies_;
};

}  // namespace

bool is_ctranslate2(const std::string& folder) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(folder + kFile, unknown);
}

ExchangedModel read_ctranslate2(const std::string& folder) {
  const CTranslate2Variables variables(folder + kFile);
  const Settings settings = Settings::read(folder + "/config.json");
  refuse_unknown(variables);
  ExchangedModel model;
  model.where = folder;
  model.config = config_of(variables);
  model.config.norm_epsilon =
      static_cast<float>(settings.number("layer_norm_epsilon").value_or(double{nn::kLayerNormEps}));
  model.lowercase = settings.flag("lowercase").value_or(false);
  // The converters of transformers store the number that embeddings are multiplied by, OpenNMT's a
  // flag.
  model.vocabularies =
      ctranslate2_vocabularies(folder, settings,
                               {.begins_with_zeros = begins_with_zeros(variables),
                                .callers_add_eos = !variables.is_flag("encoder/scale_embeddings")},
                               model.warnings);
  model.config.source_vocabulary = model.vocabularies.source->size();
  model.config.target_vocabulary = model.vocabularies.target->size();
  const TensorParts parts = ctranslate2_parts(checked(model.config));
  model.tensors = joined_model(Tensors(variables, model.config, model.vocabularies), parts, model.config,
                               variables.bytes(), folder);
  variables.check_all_read();
  return model;
}

}  // namespace xf::tools::exchange
