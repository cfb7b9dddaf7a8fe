// Models to and from Hugging Face's transformers; as users do it: tests/e2e/exchange.sh.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "nn/checkpoint/safetensors.h"
#include "tests/support/catch.h"
#include "tests/tools/exchange_models.h"
#include "tools/formats/compare_models.h"
#include "tools/formats/import_model.h"

using namespace xf;
using namespace xf::tools;
using namespace xf::tools::exchange;
using xf::tests::Changed;
using xf::tests::error_of;
using xf::tests::fixture;
using xf::tests::random_model;
using xf::tests::TemporaryFolder;

TEST_CASE("Exchange: a model of transformers goes there and back to equal tensors", "[golden]") {
  for (const char* name : {"opus", "separate", "untied"}) {
    const ExchangedModel model = read_hf_marian(fixture(name));
    const TemporaryFolder folder;
    check_hf_marian(model);
    write_hf_marian(folder / "", model);
    const ExchangedModel again = read_hf_marian(folder / "");
    REQUIRE(again.tensors.size() == model.tensors.size());
    for (const auto& [tensor, values] : model.tensors)
      CHECK(again.tensors.at(tensor).to_vector<float>() == values.to_vector<float>());
    CHECK(again.vocabularies.target->decode(std::vector<int32_t>{5, 9, 7}) ==
          model.vocabularies.target->decode(std::vector<int32_t>{5, 9, 7}));
  }
}

TEST_CASE("Exchange: sizes that no model of transformers has are refused by name", "[unit]") {
  const TemporaryFolder folder;
  std::filesystem::copy(fixture("opus"), folder / "", std::filesystem::copy_options::recursive);
  const std::string config = read_file(folder / "config.json");
  const auto error_with = [&](const std::string& is, const std::string& becomes) {
    std::string changed = config;
    folder.write("config.json", changed.replace(changed.find(is), is.size(), becomes));
    return error_of([&] { read_hf_marian(folder / ""); });
  };
  CHECK_THAT(error_with("\"encoder_layers\": 2", "\"encoder_layers\": 2147483648"),
             Catch::EndsWith("encoder_layers is 2147483648; it must be from 1 to 1000"));
  CHECK_THAT(error_with("\"d_model\": 16", "\"d_model\": 4611686018427387904"),
             Catch::EndsWith("d_model is 4611686018427387904; it must be from 1 to 65536"));
  CHECK_THAT(error_with("\"encoder_ffn_dim\": 32", "\"encoder_ffn_dim\": -1"),
             Catch::EndsWith("encoder_ffn_dim is -1; it must be from 1 to 1048576"));
  for (const char* size : {"0", "71", "73", "9223372036854775807"})
    CHECK_THAT(error_with("\"vocab_size\": 72", std::string("\"vocab_size\": ") + size),
               Catch::StartsWith("3: "));
}

TEST_CASE("Exchange: a model of transformers without what it says it has is refused", "[unit]") {
  const Changed separate(fixture("separate"));
  std::filesystem::remove(separate.path() + "target_vocab.json");
  CHECK_THAT(separate.hf_error(), Catch::Contains("has no target_vocab.json"));
  for (const char* id : {"1", "71"}) {  // <unk>, <pad>
    Changed opus(fixture("opus"));
    opus.change("generation_config.json", "\"eos_token_id\": 0", std::string("\"eos_token_id\": ") + id);
    CHECK_THAT(opus.hf_error(), Catch::StartsWith("3: ") && Catch::Contains("eos_token_id is ") &&
                                    Catch::EndsWith("a sentence needs a separate end token"));
  }
}

TEST_CASE(
    "Exchange: a dropout that is none is named as it stands, "
    "and a search's settings are taken as far as they go",
    "[unit]") {
  Changed opus(fixture("opus"));
  opus.change("config.json", "\"dropout\": 0.1", "\"dropout\": 1.5");
  CHECK_THAT(opus.hf_error(), Catch::EndsWith("config.json: dropout is 1.5; it must be from 0 to 0.99"));
  Changed other(fixture("opus"));
  other.change("generation_config.json", "{", "{\n \"length_penalty\": -1.0,");
  const ExchangedModel model = read_hf_marian(other.path());
  CHECK(model.normalize == 0);
  REQUIRE(model.warnings.size() == 1);
  CHECK_THAT(model.warnings.front(), Catch::Contains("length_penalty is -1"));
  CHECK_THAT(import_model(other.path()).checkpoint.model_config, Catch::Contains("normalize = 0"));
}

// As transformers saves a model with max_shard_size: the tensors of `opus` in two files, and an
// index.
TEST_CASE("Exchange: weights in several files are read by their index, or refused by what is wrong with it",
          "[unit]") {
  const Changed opus(fixture("opus"));
  const ExchangedModel whole = read_hf_marian(opus.path());
  const TemporaryFolder folder;
  write_hf_marian(folder / "", whole);
  nn::TensorMap tensors = nn::read_safetensors(folder / "model.safetensors").tensors, first;
  nlohmann::json map;
  for (auto entry = tensors.begin(); first.size() < 5; entry = tensors.begin())
    first.insert(tensors.extract(entry));
  for (const auto& [name, tensor] : first) map[name] = "model-00001-of-00002.safetensors";
  for (const auto& [name, tensor] : tensors) map[name] = "model-00002-of-00002.safetensors";
  std::filesystem::remove(folder / "model.safetensors");
  nn::write_safetensors(folder / "model-00001-of-00002.safetensors", first, {});
  nn::write_safetensors(folder / "model-00002-of-00002.safetensors", tensors, {});
  const auto write_index = [&](const nlohmann::json& index) {
    folder.write("model.safetensors.index.json", index.dump());
  };
  write_index({{"metadata", {{"total_size", 1}}}, {"weight_map", map}});
  CHECK(is_hf_marian(folder / ""));
  CHECK(largest_difference(whole, read_hf_marian(folder / "")) == 0);
  const auto error = [&] { return error_of([&] { read_hf_marian(folder / ""); }); };
  std::filesystem::remove(folder / "model-00002-of-00002.safetensors");
  CHECK_THAT(error(),
             Catch::StartsWith("3: ") &&
                 Catch::Contains("index.json: names model-00002-of-00002.safetensors, which is not there"));
  write_index({{"weight_map", {{"a", "../model.safetensors"}}}});
  CHECK_THAT(error(),
             Catch::StartsWith("3: ") &&
                 Catch::Contains("names '../model.safetensors', which is missing in the same folder"));
  write_index({{"weights", map}});
  CHECK_THAT(error(), Catch::StartsWith("3: ") && Catch::Contains("no index of tensors"));
}

TEST_CASE(
    "Exchange: a search of transformers that goes on for a better translation is told, and so is the rest",
    "[unit]") {
  const auto warnings_with = [](const std::string& settings) {
    Changed opus(fixture("opus"));
    opus.change("generation_config.json", "{", "{\n " + settings + ",");
    return read_hf_marian(opus.path()).warnings;
  };
  CHECK(warnings_with("\"num_beams\": 4, \"early_stopping\": true").empty());
  CHECK(warnings_with("\"num_beams\": 1").empty());
  CHECK(warnings_with("\"no_repeat_ngram_size\": 0, \"repetition_penalty\": 1.0").empty());
  for (const char* settings :
       {"\"num_beams\": 4", "\"num_beams\": 4, \"early_stopping\": \"never\"", "\"no_repeat_ngram_size\": 3",
        "\"repetition_penalty\": 1.5", "\"min_length\": 2", "\"do_sample\": true",
        "\"bad_words_ids\": [[71], [5]]", "\"bad_words_ids\": [[71, 71]]", "\"suppress_tokens\": [5]",
        "\"begin_suppress_tokens\": [0]", "\"forced_bos_token_id\": 5", "\"forced_eos_token_id\": 5",
        "\"exponential_decay_length_penalty\": [5, 1.5]", "\"sequence_bias\": [[[5], 1.0]]",
        "\"max_new_tokens\": 10"}) {
    INFO(settings);
    CHECK(warnings_with(settings).size() == 1);
  }
  for (const char* settings :
       {"\"bad_words_ids\": [[71], [1]]", "\"bad_words_ids\": null", "\"suppress_tokens\": [71]",
        "\"forced_eos_token_id\": 0", "\"forced_bos_token_id\": null", "\"sequence_bias\": []",
        "\"max_new_tokens\": 600", "\"top_k\": 1, \"temperature\": 0.5"}) {
    INFO(settings);
    CHECK(warnings_with(settings).empty());
  }
}

TEST_CASE(
    "Exchange: how long a translation gets in transformers, and its ends, are told where they are others",
    "[unit]") {
  const auto warnings_with = [](const std::string& is, const std::string& becomes) {
    Changed opus(fixture("opus"));
    opus.change("generation_config.json", is, becomes);
    return read_hf_marian(opus.path()).warnings;
  };
  const std::string length = "\"max_length\": 512,", end = "\"eos_token_id\": 0";
  CHECK(warnings_with(length, "\"max_length\": 256,").empty());
  CHECK_THAT(warnings_with(length, "\"max_length\": 20,").at(0), Catch::EndsWith("give --max-length 19"));
  CHECK_THAT(warnings_with(length, "").at(0),
             Catch::Contains("has no max_length: a translation has up to 20"));
  CHECK(warnings_with(end, "\"eos_token_id\": [0]").empty());
  CHECK_THAT(warnings_with(end, "\"eos_token_id\": [0, 5]").at(0), Catch::Contains("eos_token_id is [0,5]"));
}

TEST_CASE("Exchange: a model without generation_config.json searches as its config.json says", "[unit]") {
  Changed opus(fixture("opus"));
  std::filesystem::remove(opus.path() + "generation_config.json");
  opus.change("config.json", "{",
              "{\n \"num_beams\": 3, \"early_stopping\": true, \"max_length\": 30, \"top_k\": 50,");
  const ExchangedModel model = read_hf_marian(opus.path());
  CHECK(model.beam_size == 3);
  REQUIRE(model.warnings.size() == 1);
  CHECK_THAT(model.warnings.front(), Catch::Contains("config.json: max_length is 30"));
}

TEST_CASE("Exchange: a translation begins and ends as generation_config.json says, before config.json",
          "[unit]") {
  Changed begins(fixture("opus")), begins_by_config(fixture("opus")), ends(fixture("opus"));
  begins.change("generation_config.json", "\"decoder_start_token_id\": 71", "\"decoder_start_token_id\": 0");
  CHECK(read_hf_marian(begins.path()).vocabularies.target->bos_id() == 0);
  begins_by_config.change("generation_config.json", "\"decoder_start_token_id\": 71,", "");
  begins_by_config.change("config.json", "\"decoder_start_token_id\": 71", "\"decoder_start_token_id\": 0");
  CHECK(read_hf_marian(begins_by_config.path()).vocabularies.target->bos_id() == 0);
  ends.change("config.json", "\"eos_token_id\": 0", "\"eos_token_id\": 5");
  CHECK(read_hf_marian(ends.path()).vocabularies.target->eos_id() == 0);
  ends.change("generation_config.json", "\"eos_token_id\": 0", "\"eos_token_id\": 5");
  CHECK_THAT(ends.hf_error(), Catch::StartsWith("2: ") && Catch::Contains("eos_token_id is 5, which is '") &&
                                  Catch::EndsWith("ends a source with '</s>'; here both end alike"));
  Changed tokenizer(fixture("opus"));
  tokenizer.change("tokenizer_config.json", "{", "{\"eos_token\": {\"content\": \".\"},");
  CHECK_THAT(tokenizer.hf_error(), Catch::Contains("ends a source with '.'"));
}

TEST_CASE("Exchange: tables that config.json makes one are alike, and all are there that it makes several",
          "[unit]") {
  const ExchangedModel opus = read_hf_marian(fixture("opus"));
  const TemporaryFolder folder;
  write_hf_marian(folder / "", opus);
  const nn::TensorMap tensors = nn::read_safetensors(folder / "model.safetensors").tensors;
  const auto error_with = [&](const char* name, float more) {
    nn::TensorMap changed = tensors;
    changed[name] = Tensor::from(tensors.at("model.shared.weight").to_vector<float>(),
                                 tensors.at("model.shared.weight").shape());
    changed[name].data<float>()[7] += more;
    nn::write_safetensors(folder / "model.safetensors", changed, {});
    return error_of([&] { read_hf_marian(folder / ""); });
  };
  for (const char* name :
       {"lm_head.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"}) {
    CHECK(error_with(name, 0) == "no error");
    CHECK_THAT(error_with(name, 0.5f),
               Catch::StartsWith("3: ") &&
                   Catch::Contains(std::string("model.shared.weight and ") + name + " differ"));
  }
  Changed apart(folder / "");
  nn::write_safetensors(apart.path() + "model.safetensors", tensors, {});
  apart.change("config.json", "\"share_encoder_decoder_embeddings\": true",
               "\"share_encoder_decoder_embeddings\": false");
  CHECK_THAT(apart.hf_error(),
             Catch::StartsWith("3: ") && Catch::Contains("has no model.encoder.embed_tokens.weight"));
}

// "early_stopping": transformers' generation/configuration_utils.py; without it other translations
// are found, of 300 lines 3.
TEST_CASE("Exchange: what is written for transformers searches as ours does", "[unit]") {
  const TemporaryFolder folder;
  write_hf_marian(folder / "", read_hf_marian(fixture("opus")));
  const auto settings = nlohmann::json::parse(read_file(folder / "generation_config.json"));
  CHECK(settings["early_stopping"] == true);
  CHECK(read_hf_marian(folder / "").warnings.empty());
}

TEST_CASE(
    "Exchange: a pipe, a device or a link to nothing in the folder of a model is refused and not waited for",
    "[unit]") {
  for (const char* name : {"config.json", "generation_config.json", "model.safetensors",
                           "tokenizer_config.json", "vocab.json", "source.spm", "target.spm"}) {
    for (const char* target : {"", "/dev/zero", "nowhere", name}) {
      const Changed opus(fixture("opus"));
      std::filesystem::remove(opus.path() + name);
      if (target[0] == 0) {
        REQUIRE(::mkfifo((opus.path() + name).c_str(), 0600) == 0);
      } else {
        std::filesystem::create_symlink(target, opus.path() + name);
      }
      CHECK_THAT(error_of([&] { import_model(opus.path()); }), Catch::StartsWith("3: "));
    }
  }
}

TEST_CASE("Exchange: what links in a folder lead to is read, as a cache of models has it", "[unit]") {
  const Changed opus(fixture("opus"));
  const TemporaryFolder cache;
  for (const auto& entry : std::filesystem::directory_iterator(opus.path()))
    std::filesystem::create_symlink(entry.path(), cache / entry.path().filename().string());
  CHECK(largest_difference(read_hf_marian(opus.path()), read_hf_marian(cache / "")) == 0);
}

TEST_CASE("Exchange: a piece that is longer than pieces are, and settings longer than settings, are refused",
          "[unit]") {
  Changed opus(fixture("opus"));
  opus.change("vocab.json", "\"▁never\"", "\"" + std::string(5000, 'a') + "\"");
  CHECK_THAT(error_of([&] { import_model(opus.path()); }), Catch::StartsWith("3: "));
  Changed long_settings(fixture("opus"));
  std::filesystem::resize_file(long_settings.path() + "config.json", (16 << 20) + 1);
  CHECK_THAT(long_settings.hf_error(),
             Catch::StartsWith("3: ") && Catch::Contains("up to 16777216 are read"));
}

TEST_CASE("Exchange: settings that make a larger model than the weights are refused before it has memory",
          "[unit]") {
  Changed opus(fixture("opus"));
  opus.change("config.json", "\"d_model\": 16", "\"d_model\": 65536");
  CHECK_THAT(opus.hf_error(), Catch::StartsWith("3: ") && Catch::Contains("its settings make it "));
}
