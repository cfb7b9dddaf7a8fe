#include "tools/formats/ctranslate2.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "data/sentencepiece_ids.h"
#include "data/vocabularies.h"
#include "nn/model.h"
#include "nn/norm.h"
#include "tools/formats/ctranslate2_file.h"
#include "tools/formats/tensor_names.h"
#include "tools/formats/tensor_part.h"

namespace xf::tools::exchange {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSpecification = "TransformerSpec";

// A file in the making, and what it owns.
class Writer {
 public:
  explicit Writer(Quantization quantization) : quantization_(quantization) {}

  template <typename T>
  void add_number(const std::string& name, ArrayType type, T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    add(name, type, {}, std::move(bytes));
  }
  void add_flag(const std::string& name, int value) {
    add_number(name, ArrayType::i8, static_cast<int8_t>(value));
  }
  void add_tensor(const std::string& name, const Tensor& values) {
    const bool is_matrix = values.rank() == 2 && name.ends_with("/weight");
    if (quantization_ == Quantization::int8 && is_matrix) return add_rounded(name, values);
    if (quantization_ == Quantization::float16)
      return add(name, ArrayType::f16, extents(values), f16_bytes(values));
    add_f32(name, values);
  }
  void add_alias(const std::string& alias, const std::string& name) {
    file_.aliases.emplace_back(alias, name);
  }
  CTranslate2File& file() { return file_; }

 private:
  static std::vector<int64_t> extents(const Tensor& tensor) {
    std::vector<int64_t> result;
    for (int i = 0; i < tensor.rank(); ++i) result.push_back(tensor.dim(i));
    return result;
  }
  void add(const std::string& name, ArrayType type, std::vector<int64_t> shape, std::string bytes) {
    file_.variables.push_back({name, {type, std::move(shape), bytes_.emplace_back(std::move(bytes))}});
  }
  void add_f32(const std::string& name, const Tensor& values) {
    tensors_.push_back(values);
    const auto* bytes = static_cast<const char*>(values.raw());
    file_.variables.push_back(
        {name, {ArrayType::f32, extents(values), {bytes, static_cast<size_t>(values.bytes())}}});
  }
  // Ours is what a row's numbers are multiplied by, theirs what they are divided by.
  void add_rounded(const std::string& name, const Tensor& weights) {
    const Tensor values = Tensor::empty(weights.shape(), DType::i8),
                 scales = Tensor::empty({weights.rows()}, DType::f32);
    kernels::round_weights(weights, values, scales);
    for (int64_t i = 0; i < scales.numel(); ++i) {
      float& scale = scales.data<float>()[i];
      scale = scale == 0 ? 1 : 1 / scale;
    }
    tensors_.push_back(values);
    const auto* bytes = static_cast<const char*>(values.raw());
    file_.variables.push_back(
        {name, {ArrayType::i8, extents(weights), {bytes, static_cast<size_t>(values.bytes())}}});
    add_f32(name + "_scale", scales);
  }

  Quantization quantization_;
  CTranslate2File file_{.specification = kSpecification, .revision = kCTranslate2Revision, .variables = {}};
  std::deque<std::string> bytes_;
  std::vector<Tensor> tensors_;
};

void add_settings(Writer& writer, const nn::TransformerConfig& config) {
  for (const std::string side : {"encoder", "decoder"}) {
    writer.add_number(side + "/num_heads", ArrayType::i16, static_cast<int16_t>(config.heads));
    writer.add_flag(side + "/pre_norm", config.norm == nn::NormPlacement::pre);
    writer.add_flag(side + "/activation", ctranslate2_number(config.activation));
    writer.add_flag(side + "/scale_embeddings", 1);
    writer.add_flag(side + "/multi_query_attention", 0);
  }
  writer.add_flag("encoder/embeddings_merge", 0);
  writer.add_number("decoder/alignment_layer", ArrayType::i16, static_cast<int16_t>(-1));
  writer.add_number("decoder/alignment_heads", ArrayType::i16, static_cast<int16_t>(0));
  for (const char* name :
       {"start_from_zero_embedding", "alibi", "alibi_use_positive_positions", "scale_alibi"})
    writer.add_flag(std::string("decoder/") + name, 0);
}

void add_rotary(Writer& writer, const nn::TransformerConfig& config) {
  for_each_ctranslate2_rotary(config, [&](const std::string& name) {
    writer.add_number(name + "dim", ArrayType::i32, static_cast<int32_t>(config.dim / config.heads));
    writer.add_flag(name + "interleave", 0);
    writer.add_number(name + "base", ArrayType::f32, static_cast<float>(nn::Model::kRotaryBase));
  });
}

void add_tensors(Writer& writer, const ExchangedModel& model) {
  const nn::TransformerConfig& config = model.config;
  for (const auto& [name, values] : split(model.tensors, ctranslate2_parts(config)))
    writer.add_tensor(name, values);
  if (!config.learned_positions && !config.rotary_positions) {
    const Tensor table = sinusoids(config, nn::most_tokens(config));
    for (const char* name : kCTranslate2Positions) writer.add_tensor(name, table);
  }
  if (config.tying != nn::Tying::none) writer.add_alias(kCTranslate2Output, kCTranslate2Target);
  if (config.tying == nn::Tying::all) writer.add_alias(kCTranslate2Source, kCTranslate2Target);
}

// What a search of ours never lets come out, <unk> apart, as its translate_batch() takes it.
Json suppressed_sequences(const data::Tokenizer& target) {
  std::set<int32_t> ids = {target.bos_id(), target.pad_id()};
  ids.erase(-1);
  ids.erase(target.eos_id());
  Json sequences = Json::array();
  for (const int32_t id : ids) sequences.push_back(Json::array({target.piece(id)}));
  return sequences;
}

Json config_of(const ExchangedModel& model) {
  const data::Tokenizer& target = *model.vocabularies.target;
  // Theirs for nothing is ours. The shortest number that is the same f32.
  const float epsilon = model.config.norm_epsilon;
  const Json shown = epsilon == nn::kLayerNormEps ? Json() : Json(std::stod(fmt::format("{}", epsilon)));
  Json json = {{"unk_token", target.piece(target.unk_id())},
               {"bos_token", target.piece(target.bos_id())},
               {"eos_token", target.piece(target.eos_id())},
               {"decoder_start_token", target.piece(target.bos_id())},
               {"add_source_bos", false},
               {"add_source_eos", model.vocabularies.source->eos_id() >= 0},
               {"layer_norm_epsilon", shown},
               {"multi_query_attention", false}};
  // Theirs passes over these: for who calls it, and for our reader.
  json["suppress_sequences"] = suppressed_sequences(target);
  if (model.lowercase) json["lowercase"] = true;
  return json;
}

// In which SentencePiece finds the tags of a multilingual model in the text, too.
std::map<std::string, std::string> files_of(const data::Vocabularies& vocabularies) {
  std::map<std::string, std::string> files = vocabularies.files();
  std::string& source = files.begin()->second;  // "vocab.source" comes before "vocab.target"
  if (const auto tags = vocabularies.source->tags(); !tags.empty())
    source = data::with_cut_tags(source, tags);
  return files;
}

std::string pieces_as_json(const data::Tokenizer& tokenizer) {
  Json pieces = Json::array();
  for (int32_t id = 0; id < tokenizer.size(); ++id) pieces.push_back(tokenizer.piece(id));
  return pieces.dump(1) + "\n";
}

}  // namespace

void check_ctranslate2(const ExchangedModel& model) {
  const data::Tokenizer &source = *model.vocabularies.source, &target = *model.vocabularies.target;
  for (const int32_t id : {source.unk_id(), target.unk_id(), target.eos_id(), target.bos_id()}) {
    if (id < 0)
      fail(ErrorKind::usage, "{}: CTranslate2 needs a vocabulary with <unk>, <s> and </s>", model.where);
  }
  const auto refuse_two = [&](int32_t of_source, int32_t of_target) {
    if (source.piece(of_source) != target.piece(of_target))
      fail(ErrorKind::usage,
           "{}: CTranslate2 has one name for a special token of both sides, and here they are {} and {}",
           model.where, source.piece(of_source), target.piece(of_target));
  };
  refuse_two(source.unk_id(), target.unk_id());
  if (source.eos_id() >= 0) refuse_two(source.eos_id(), target.eos_id());
}

void write_ctranslate2(const std::string& folder, const ExchangedModel& model, Quantization quantization) {
  Writer writer(quantization);
  add_settings(writer, model.config);
  if (model.config.rotary_positions) add_rotary(writer, model.config);
  add_tensors(writer, model);
  write_ctranslate2_file(folder + "/model.bin", writer.file());
  atomic_write(folder + "/config.json", config_of(model).dump(2) + "\n");
  const data::Vocabularies& vocabularies = model.vocabularies;
  if (vocabularies.joint()) {
    atomic_write(folder + "/shared_vocabulary.json", pieces_as_json(*vocabularies.source));
  } else {
    atomic_write(folder + "/source_vocabulary.json", pieces_as_json(*vocabularies.source));
    atomic_write(folder + "/target_vocabulary.json", pieces_as_json(*vocabularies.target));
  }
  for (const auto& [name, bytes] : files_of(vocabularies)) atomic_write(folder + "/" + name, bytes);
}

}  // namespace xf::tools::exchange
