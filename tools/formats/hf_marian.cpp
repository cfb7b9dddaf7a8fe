#include "tools/formats/hf_marian.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "tools/formats/position_order.h"
#include "tools/formats/tensor_names.h"

namespace xf::tools::exchange {

namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMostTokens = 512;  // of a translation, and of a text that the tokenizer lets
                                      // pass

Json config_of(const ExchangedModel& model) {
  const nn::TransformerConfig& config = model.config;
  const data::Tokenizer& target = *model.vocabularies.target;
  return {{"architectures", {"MarianMTModel"}},
          {"model_type", "marian"},
          {"is_encoder_decoder", true},
          {"vocab_size", config.source_vocabulary},
          {"decoder_vocab_size", config.target_vocabulary},
          {"share_encoder_decoder_embeddings", config.tying == nn::Tying::all},
          {"tie_word_embeddings", config.tying != nn::Tying::none},
          {"d_model", config.dim},
          {"encoder_layers", config.encoder_layers},
          {"decoder_layers", config.decoder_layers},
          {"encoder_attention_heads", config.heads},
          {"decoder_attention_heads", config.heads},
          {"encoder_ffn_dim", config.feed_forward},
          {"decoder_ffn_dim", config.feed_forward},
          {"activation_function", name_of(config.activation)},
          {"max_position_embeddings", std::max<int64_t>(1024, config.max_length)},
          {"scale_embedding", true},
          {"static_position_embeddings", true},
          {"normalize_embedding", false},
          {"normalize_before", false},
          {"add_final_layer_norm", false},
          {"dropout", config.dropout},
          {"attention_dropout", config.attention_dropout},
          {"activation_dropout", config.feed_forward_dropout},
          {"torch_dtype", "float32"},
          {"pad_token_id", target.pad_id()},
          {"bos_token_id", target.bos_id()},
          {"eos_token_id", target.eos_id()},
          {"forced_eos_token_id", target.eos_id()},
          {"decoder_start_token_id", target.bos_id()}};
}

// The search of ours: <unk>, <s> and <pad> never come out.
Json generation_of(const ExchangedModel& model) {
  const data::Tokenizer& target = *model.vocabularies.target;
  Json banned = Json::array();
  for (const int32_t id : {target.unk_id(), target.bos_id(), target.pad_id()})
    banned.push_back(Json::array({id}));
  return {{"pad_token_id", target.pad_id()},
          {"bos_token_id", target.bos_id()},
          {"eos_token_id", target.eos_id()},
          {"forced_eos_token_id", target.eos_id()},
          {"decoder_start_token_id", target.bos_id()},
          {"bad_words_ids", banned},
          {"num_beams", model.beam_size},
          {"length_penalty", model.normalize},
          {"early_stopping", true},  // a search of ours ends with as many translations as it has
                                     // beams
          {"max_length", kMostTokens}};
}

// Both sides' pieces have the same ids, even where text is cut otherwise.
bool has_one_list(const ExchangedModel& model) {
  return model.vocabularies.source->hash() == model.vocabularies.target->hash();
}

Json tokenizer_config_of(const ExchangedModel& model) {
  const data::Tokenizer& target = *model.vocabularies.target;
  Json json = {{"tokenizer_class", "MarianTokenizer"},
               {"unk_token", target.piece(target.unk_id())},
               {"eos_token", target.piece(target.eos_id())},
               {"pad_token", target.piece(target.pad_id())},
               {"model_max_length", kMostTokens},
               {"separate_vocabs", !has_one_list(model)}};
  if (model.lowercase) json["lowercase"] = true;  // for our reader; theirs passes over it
  return json;
}

std::string ids_of(const data::Tokenizer& tokenizer) {
  Json ids = Json::object();
  for (int32_t id = 0; id < tokenizer.size(); ++id) ids[tokenizer.piece(id)] = id;
  return ids.dump(2) + "\n";
}

}  // namespace

void check_hf_marian(const ExchangedModel& model) {
  const auto refuse = [&](const char* what, const char* why) {
    fail(ErrorKind::usage, "{}: {}, and {}; export to ctranslate2 instead", model.where, what, why);
  };
  if (model.config.norm == nn::NormPlacement::pre) refuse("norm is pre", "MarianMT has post-norm alone");
  if (model.config.learned_positions) refuse("positions are learnt", "MarianMT computes sinusoids");
  if (model.config.rotary_positions) refuse("positions are rotary", "MarianMT computes sinusoids");
  if (model.config.positions == kernels::PositionLayout::marian)
    refuse("positions have Marian's frequencies", "MarianMT computes others");
  if (model.config.norm_epsilon != nn::kLayerNormEps)
    refuse("layer-norm-epsilon is not 1e-05", "MarianMT has that one alone");
  for (const auto& tokenizer : {model.vocabularies.source, model.vocabularies.target}) {
    if (std::string_view(tokenizer->extension()) != ".spm")
      refuse("its vocabulary is a list of words", "MarianMT's tokenizer needs SentencePiece models");
    if (tokenizer->pad_id() < 0 || tokenizer->bos_id() < 0 || tokenizer->eos_id() < 0)
      refuse("its vocabulary lacks <pad>, <s> or </s>", "MarianMT needs all three");
  }
  const data::Tokenizer &source = *model.vocabularies.source, &target = *model.vocabularies.target;
  if (source.eos_id() != target.eos_id() || source.pad_id() != target.pad_id())
    refuse("</s> and <pad> have other ids in the two vocabularies", "MarianMT has one id for both sides");
}

void write_hf_marian(const std::string& folder, const ExchangedModel& model) {
  const ExchangedModel split_model = with_split_positions(model);
  nn::TensorMap tensors = split(split_model.tensors, hf_marian_parts(split_model.config));
  Tensor& bias = tensors.at(kHfBias);
  bias = bias.reshape({1, bias.numel()});
  nn::write_safetensors(folder + "/model.safetensors", tensors, {});
  atomic_write(folder + "/config.json", config_of(split_model).dump(2) + "\n");
  atomic_write(folder + "/generation_config.json", generation_of(model).dump(2) + "\n");
  atomic_write(folder + "/tokenizer_config.json", tokenizer_config_of(model).dump(2) + "\n");
  const data::Tokenizer &source = *model.vocabularies.source, &target = *model.vocabularies.target;
  atomic_write(folder + "/vocab.json", ids_of(source));
  if (!has_one_list(model)) atomic_write(folder + "/target_vocab.json", ids_of(target));
  source.save(folder + "/source.spm");
  target.save(folder + "/target.spm");
}

}  // namespace xf::tools::exchange
