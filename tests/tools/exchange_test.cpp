// Models to and from other toolkits. More of it, as users do it: tests/e2e/exchange.sh; with those toolkits themselves:
// tests/e2e/exchange_peers.sh.
#include <algorithm>
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/folder_writer.h"
#include "core/mapped_file.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/tools/random_run.h"
#include "tools/exchange/compare_models.h"
#include "tools/exchange/ctranslate2.h"
#include "tools/exchange/ctranslate2_file.h"
#include "tools/exchange/hf_marian.h"
#include "tools/exchange/import_model.h"
#include "tools/exchange/pickle.h"
#include "tools/exchange/position_order.h"
#include "tools/exchange/safetensors_arrays.h"
#include "tools/exchange/settings.h"
#include "tools/exchange/stored_array.h"
#include "tools/exchange/tensor_part.h"
#include "tools/exchange/torch_file.h"
#include "tools/loaded_model.h"

using namespace xf;
using namespace xf::tools;
using namespace xf::tools::exchange;
using xf::tests::error_of;
using xf::tests::TemporaryFolder;

namespace {

ExchangedModel random_model(const std::string& more = "") {
  const tests::RandomRun run(more);
  const UnboundModel unbound = read_unbound_model(run.path(), DType::f32);
  return {.config = unbound.model->model->config(),
          .tensors = unbound.checkpoint.model,
          .vocabularies = unbound.model->vocabularies,
          .where = "a test"};
}

std::string fixture(const std::string& name) {
  return tests::source_folder() + "/tests/fixtures/marian/" + name;
}

// What the bytes of `values` are as f32.
template <typename T>
std::vector<float> read_as(ArrayType type, const std::vector<T>& values) {
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return f32_values({type, {static_cast<int64_t>(values.size())}, bytes}, "a test")
      .template to_vector<float>();
}

}  // namespace

// IEEE 754-2019, 3.4: 0x3C00 is 1, 0xC000 -2, 0x7BFF the largest, 65504, 0x0001 the smallest, 2^-24, 0x7C00 infinity.
TEST_CASE("Exchange: numbers of sixteen and of whole bits are read as what they are", "[unit]") {
  CHECK(read_as<uint16_t>(ArrayType::f16, {0x3C00, 0xC000, 0x7BFF, 0x0001, 0x7C00}) ==
        std::vector<float>{1, -2, 65504, 0x1p-24f, INFINITY});
  CHECK(read_as<uint16_t>(ArrayType::bf16, {0x3F80, 0xC000, 0x3F81}) ==
        std::vector<float>{1, -2, 1 + 0x1p-7f});
  CHECK(read_as<int64_t>(ArrayType::i64, {-3, 1 << 20}) == std::vector<float>{-3, 1 << 20});
  CHECK(read_as<double>(ArrayType::f64, {0.5}) == std::vector<float>{0.5});
  CHECK(f16_bytes(Tensor::from(std::vector<float>{1, -2, 65504})) ==
        std::string("\x00\x3C\x00\xC0\xFF\x7B", 6));
  CHECK_THAT(error_of([&] {
               f32_values({ArrayType::f16, {7}, "ten bytes."}, "halves");
             }),
             Catch::StartsWith("3: halves: [7] elements do not fit its 10 bytes"));
}

TEST_CASE("Exchange: a model with its sinusoids in another order computes the same", "[unit]") {
  const ExchangedModel model = random_model(), reordered = with_split_positions(model);
  CHECK(reordered.config.positions == kernels::PositionLayout::split);
  CHECK(largest_difference(model, reordered) < 1e-5);
  ExchangedModel wrong = reordered;
  wrong.config.positions = kernels::PositionLayout::interleaved;
  CHECK(largest_difference(model, wrong) > 1e-3);
}

TEST_CASE("Exchange: a comparison of models sees a single weight", "[unit]") {
  const ExchangedModel model = random_model();
  ExchangedModel other = model;
  Tensor& bias = other.tensors.at("decoder.layers.0.feed_forward.out.bias");
  bias = Tensor::from(bias.to_vector<float>());
  CHECK(largest_difference(model, other) == 0);
  bias.data<float>()[3] += 0.1f;
  CHECK(largest_difference(model, other) > 1e-3);
  bias.data<float>()[3] = NAN;
  CHECK_THROWS_WITH(largest_difference(model, other),
                    Catch::Contains("are not finite; its weights are damaged"));
}

TEST_CASE("Exchange: CTranslate2's folder is read as it was written, smaller ones nearly", "[unit]") {
  const ExchangedModel model = random_model();
  for (const auto& [quantization, most] :
       {std::pair{Quantization::float32, 0.0}, {Quantization::float16, 0.01}, {Quantization::int8, 0.2}}) {
    const TemporaryFolder folder;
    write_ctranslate2(folder / "", model, quantization);
    CHECK(is_ctranslate2(folder / ""));
    const double difference = largest_difference(model, read_ctranslate2(folder / ""));
    CHECK(difference <= most);
    CHECK((difference > 0) == (quantization != Quantization::float32));
  }
}

TEST_CASE("Exchange: a CTranslate2 model without heads is refused", "[unit]") {
  const TemporaryFolder folder;
  // Rotary positions are as wide as a head.
  write_ctranslate2(folder / "", random_model("transformer-rotary-positions = true\n"),
                    Quantization::float32);
  std::string bytes = read_file(folder / "model.bin");
  const std::string name("num_heads\0", 10);
  for (size_t at = bytes.find(name); at != std::string::npos; at = bytes.find(name, at + 1))
    bytes.replace(at + name.size() + 6, 2, 2, '\0');  // behind rank, type and size the number, i16
  folder.write("model.bin", bytes);
  CHECK(error_of([&] {
          read_ctranslate2(folder / "");
        }).ends_with("/model.bin: num_heads is 0; 1 or more would be one"));
}

namespace {

// A folder as CTranslate2's own converters leave it: ours, with other variables and settings.
class Converted {
 public:
  explicit Converted(const ExchangedModel& model) {
    write_ctranslate2(folder_ / "", model, Quantization::float32);
    bytes_ = read_file(folder_ / "model.bin");
    file_ = parse_ctranslate2_file(bytes_, "model.bin");
  }
  // A number, or of nothing its absence.
  template <typename T>
  void set(const std::string& name, ArrayType type, std::vector<T> values, std::vector<int64_t> shape = {}) {
    std::erase_if(file_.variables, [&](const auto& variable) { return variable.first == name; });
    if (values.empty()) return;
    const auto* bytes = reinterpret_cast<const char*>(values.data());
    const std::string& kept = kept_.emplace_back(bytes, values.size() * sizeof(T));
    file_.variables.emplace_back(name, StoredArray{type, std::move(shape), kept});
  }
  void set_flag(const std::string& name, bool on) { set<int8_t>(name, ArrayType::i8, {on}); }
  void set_number(const std::string& name, float value) { set<float>(name, ArrayType::f32, {value}); }
  void drop(const std::string& name) { set<float>(name, ArrayType::f32, {}); }
  // Of each side's.
  void set_scale(float value) {
    for (const char* side : {"encoder", "decoder"})
      set_number(std::string(side) + "/scale_embeddings", value);
  }
  void change_settings(const std::string& is, const std::string& becomes) {
    std::string settings = read_file(folder_ / "config.json");
    REQUIRE(settings.find(is) != std::string::npos);
    folder_.write("config.json", settings.replace(settings.find(is), is.size(), becomes));
  }
  void drop_last_piece() {
    for (const char* name : {"shared_vocabulary.json", "source_vocabulary.json", "target_vocabulary.json"}) {
      if (!std::filesystem::exists(folder_ / name)) continue;
      nlohmann::json pieces = nlohmann::json::parse(read_file(folder_ / name));
      pieces.erase(pieces.size() - 1);
      folder_.write(name, pieces.dump());
    }
  }
  ExchangedModel read() {
    write_ctranslate2_file(folder_ / "model.bin", file_);
    return read_ctranslate2(folder_ / "");
  }
  std::string error() {
    return error_of([&] { read(); });
  }
  std::string path() const { return folder_ / ""; }

 private:
  TemporaryFolder folder_;
  std::string bytes_;
  CTranslate2File file_;
  std::deque<std::string> kept_;
};

// With every bias zero.
ExchangedModel without_biases(ExchangedModel model) {
  for (auto& [name, tensor] : model.tensors) {
    if (name.ends_with(".bias") && name.find("norm") == std::string::npos)
      tensor = Tensor::zeros(tensor.shape(), DType::f32);
  }
  return model;
}

}  // namespace

// What python/ctranslate2/converters/ of CTranslate2 4.8.5 write; with the package itself: tests/peers/ctranslate2_models.py.
TEST_CASE("Exchange: embeddings are multiplied as CTranslate2's file says, by a flag or a number", "[unit]") {
  for (const char* name : {"opus", "separate", "untied"}) {  // tied all, tied to the output, not tied
    const ExchangedModel model = read_hf_marian(fixture(name));
    const float root = std::sqrt(static_cast<float>(model.config.dim));
    Converted as_number(model);
    as_number.set_scale(root);
    const ExchangedModel read = as_number.read();
    CHECK(read.config.tying == model.config.tying);
    CHECK(largest_difference(model, read) == 0);
    // Half of it: as if tables were halved that no output is tied to.
    Converted halved(model);
    halved.set_scale(root / 2);
    ExchangedModel wanted = model;
    wanted.config.tying = nn::Tying::none;
    const auto table = [&](const char* side, float factor) {
      const auto all = model.tensors.find("embedding.weight");
      const std::vector<float> values =
          (all != model.tensors.end() ? all->second
                                      : model.tensors.at(std::string(side) + "_embedding.weight"))
              .to_vector<float>();
      std::vector<float> scaled = values;
      for (float& value : scaled) value *= factor;
      return Tensor::from(scaled, {static_cast<int64_t>(values.size()) / model.config.dim, model.config.dim});
    };
    if (!wanted.tensors.contains("output.weight")) wanted.tensors["output.weight"] = table("target", 1);
    wanted.tensors["source_embedding.weight"] = table("source", 0.5f);
    wanted.tensors["target_embedding.weight"] = table("target", 0.5f);
    wanted.tensors.erase("embedding.weight");
    CHECK(largest_difference(wanted, halved.read()) == 0);
    // A flag that is off is a factor of 1.
    Converted off(model), one(model);
    for (const char* side : {"encoder/", "decoder/"})
      off.set_flag(side + std::string("scale_embeddings"), false);
    one.set_scale(1);
    CHECK(largest_difference(off.read(), one.read()) == 0);
    CHECK(largest_difference(model, one.read()) > 1e-3);
  }
}

TEST_CASE("Exchange: what the caller of CTranslate2 appends is what its toolkit appends", "[unit]") {
  const ExchangedModel model = read_hf_marian(fixture("opus"));
  Converted transformers(model), opennmt(model);
  for (Converted* each : {&transformers, &opennmt})
    each->change_settings("\"add_source_eos\": true", "\"add_source_eos\": false");
  transformers.set_scale(std::sqrt(static_cast<float>(model.config.dim)));
  CHECK(transformers.read().vocabularies.source->eos_id() == model.vocabularies.source->eos_id());
  const ExchangedModel read = opennmt.read();
  CHECK(read.vocabularies.source->eos_id() == -1);
  CHECK(read.vocabularies.target->eos_id() == model.vocabularies.target->eos_id());
  REQUIRE(read.warnings.size() == 1);
  CHECK_THAT(read.warnings.front(),
             Catch::Contains("add_source_eos is false: sources are read without </s>"));
  // To there and back.
  const TemporaryFolder folder;
  check_ctranslate2(read);
  write_ctranslate2(folder / "", read, Quantization::float32);
  CHECK(read_ctranslate2(folder / "").vocabularies.source->eos_id() == -1);
}

TEST_CASE("Exchange: translations of CTranslate2's that begin with zeros begin with a piece of zeros",
          "[unit]") {
  const ExchangedModel model = read_hf_marian(fixture("opus"));
  Converted converted(model);
  converted.set_flag("decoder/start_from_zero_embedding", true);
  const ExchangedModel read = converted.read();
  const data::Tokenizer& target = *read.vocabularies.target;
  CHECK(target.size() == model.vocabularies.target->size() + 1);
  CHECK(target.bos_id() == target.size() - 1);
  CHECK(read.vocabularies.source->size() == target.size());  // of one table
  const std::vector<float> table = read.tensors.at("embedding.weight").to_vector<float>();
  CHECK(std::vector<float>(table.end() - model.config.dim, table.end()) ==
        std::vector<float>(static_cast<size_t>(model.config.dim)));
  CHECK(read.tensors.at("output.bias").to_vector<float>().back() == -50);
  // The piece that is added takes nobody's row.
  Converted shorter(model);
  shorter.set_flag("decoder/start_from_zero_embedding", true);
  shorter.drop_last_piece();
  CHECK_THAT(shorter.error(), Catch::Contains("and its vocabulary has 71 pieces; copy both again"));
}

TEST_CASE(
    "Exchange: an epsilon, biases and positions that CTranslate2's file does not have are the usual ones",
    "[unit]") {
  ExchangedModel model = without_biases(read_hf_marian(fixture("opus")));
  Converted bare(model);
  for (const char* name : {"decoder/projection/bias", "encoder/layer_0/self_attention/linear_0/bias",
                           "encoder/layer_0/ffn/linear_1/bias"})
    bare.drop(name);
  CHECK(largest_difference(model, bare.read()) == 0);
  Converted other(model);
  other.change_settings("\"layer_norm_epsilon\": null", "\"layer_norm_epsilon\": 0.001");
  const ExchangedModel read = other.read();
  CHECK(largest_difference(model, read) > 1e-5);
  model.config.norm_epsilon = 1e-3f;
  CHECK(largest_difference(model, read) == 0);
  CHECK_THAT(import_model(other.path()).checkpoint.config, Catch::Contains("layer-norm-epsilon = 0.001"));
  // OpenNMT-tf's: sines of Marian's frequencies, counted from 1.
  model.config.norm_epsilon = 1e-5f;
  Converted counted(model);
  for (const char* side : {"encoder", "decoder"})
    counted.drop(std::string(side) + "/position_encodings/encodings");
  const ExchangedModel from_one = counted.read();
  CHECK(from_one.config.learned_positions);
  const std::vector<float> first = from_one.tensors.at("source_positions.weight").to_vector<float>();
  CHECK(first.front() == Approx(std::sin(1.0)));
  CHECK(first[static_cast<size_t>(model.config.dim) / 2] == Approx(std::cos(1.0)));
}

TEST_CASE("Exchange: what CTranslate2 has and this engine has not is refused by its name", "[unit]") {
  const ExchangedModel model = read_hf_marian(fixture("opus"));
  const auto error_with = [&](const std::string& name, float value) {
    Converted converted(model);
    converted.set_number(name, value);
    return converted.error();
  };
  for (const char* name :
       {"decoder/scale_outputs", "decoder/final_logit_softcapping", "encoder/sliding_window", "decoder/alibi",
        "encoder/multi_query_attention", "decoder/layer_0/self_attention/num_heads_kv"})
    CHECK_THAT(error_with(name, 2),
               Catch::StartsWith("2: ") && Catch::Contains(std::string("has ") + name + ", which"));
  CHECK(error_with("encoder/sliding_window", 0) == "no error");
  CHECK(error_with("decoder/alignment_heads", 3) == "no error");
  CHECK_THAT(error_with("encoder/activation", 4), Catch::Contains("activation"));
  Converted rms(model), null(model);
  rms.drop("encoder/layer_0/ffn/layer_norm/beta");
  CHECK_THAT(rms.error(), Catch::StartsWith("2: ") && Catch::Contains("norms without beta (RMS)"));
  null.change_settings("\"decoder_start_token\": \"<pad>\"", "\"decoder_start_token\": null");
  CHECK_THAT(null.error(), Catch::StartsWith("2: ") && Catch::Contains("decoder_start_token is null"));
}

TEST_CASE("Exchange: a tensor of another shape is named", "[unit]") {
  nn::Registry registry;
  registry.add("map.weight", {4, 2}, nn::Init::zeros());
  registry.add("map.bias", {4}, nn::Init::zeros());
  TensorParts parts({.weight = "/w", .bias = "/b", .transposed = true});
  parts.add_map("up", "map", 0, 2);
  parts.add_map("down", "map", 2, 2);
  const Tensor values = Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
  const nn::TensorMap ours = {{"map.weight", values},
                              {"map.bias", Tensor::from(std::vector<float>{1, 2, 3, 4})}};
  nn::TensorMap theirs = split(ours, parts);
  const auto of_map = [&](const std::string& name) { return theirs.at(name); };
  CHECK(theirs.at("down/w").to_vector<float>() == std::vector<float>{5, 7, 6, 8});
  CHECK(theirs.at("up/b").to_vector<float>() == std::vector<float>{1, 2});
  CHECK(joined(of_map, parts, registry, "there").at("map.weight").to_vector<float>() ==
        values.to_vector<float>());
  theirs["down/w"] = Tensor::zeros({3, 2}, DType::f32);
  CHECK(error_of([&] { joined(of_map, parts, registry, "there"); }) ==
        "3: there: down/w is [2, 3], and the other tensors make it [2, 2]");
}

TEST_CASE("Exchange: both forms of torch.save are read, and pickles call nothing", "[unit]") {
  const std::string corpus = tests::source_folder() + "/tests/fuzz/corpus/torch_file/";
  for (const char* name : {"archive", "older", "deflated"}) {
    const StoredArrays stored = torch_arrays(corpus + name);
    CHECK(f32_values(stored.arrays.at("a"), name).to_vector<float>() == std::vector<float>{0, 1, 2, 3, 4, 5});
    CHECK(f32_values(stored.arrays.at("b"), name).to_vector<float>() == std::vector<float>{1.5});
    CHECK(f32_values(stored.arrays.at("i"), name).to_vector<float>() == std::vector<float>{7});
  }
  CHECK_THAT(error_of([&] { torch_arrays(corpus + "transposed"); }),
             Catch::EndsWith("transposed: a is a view whose rows do not follow each other, such as a "
                             "transpose; save its contiguous()"));
  CHECK_THAT(error_of([&] { torch_arrays(corpus + "call"); }), Catch::Contains("it calls posix system"));
  CHECK_THAT(error_of([&] { torch_arrays(corpus + "nested"); }), Catch::Contains("nested too deep"));
}

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
             Catch::EndsWith("encoder_layers is 2147483648; from 1 to 1000 would be one"));
  CHECK_THAT(error_with("\"d_model\": 16", "\"d_model\": 4611686018427387904"),
             Catch::EndsWith("d_model is 4611686018427387904; from 1 to 1048576 would be one"));
  CHECK_THAT(error_with("\"encoder_ffn_dim\": 32", "\"encoder_ffn_dim\": -1"),
             Catch::EndsWith("encoder_ffn_dim is -1; from 1 to 1048576 would be one"));
  for (const char* size : {"0", "71", "73", "9223372036854775807"})
    CHECK_THAT(error_with("\"vocab_size\": 72", std::string("\"vocab_size\": ") + size),
               Catch::StartsWith("3: "));
}

namespace {

// A copy of a folder, in which files say something else.
class Changed {
 public:
  explicit Changed(const std::string& folder) {
    std::filesystem::copy(folder, folder_ / "", std::filesystem::copy_options::recursive);
  }
  void change(const std::string& file, const std::string& is, const std::string& becomes) {
    std::string text = read_file(folder_ / file);
    REQUIRE(text.find(is) != std::string::npos);
    folder_.write(file, text.replace(text.find(is), is.size(), becomes));
  }
  std::string path() const { return folder_ / ""; }
  std::string hf_error() const {
    return error_of([&] { read_hf_marian(path()); });
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("Exchange: a model of transformers without what it says it has is refused", "[unit]") {
  const Changed separate(fixture("separate"));
  std::filesystem::remove(separate.path() + "target_vocab.json");
  CHECK_THAT(separate.hf_error(), Catch::Contains("has no target_vocab.json"));
  for (const char* id : {"1", "71"}) {  // <unk>, <pad>
    Changed opus(fixture("opus"));
    opus.change("generation_config.json", "\"eos_token_id\": 0", std::string("\"eos_token_id\": ") + id);
    CHECK_THAT(opus.hf_error(), Catch::StartsWith("3: ") && Catch::Contains("eos_token_id is ") &&
                                    Catch::EndsWith("a sentence needs an end of its own"));
  }
}

TEST_CASE(
    "Exchange: a dropout that is none is named as it stands, and a search's settings are taken as far as "
    "they go",
    "[unit]") {
  Changed opus(fixture("opus"));
  opus.change("config.json", "\"dropout\": 0.1", "\"dropout\": 1.5");
  CHECK_THAT(opus.hf_error(), Catch::EndsWith("config.json: dropout is 1.5; from 0 to 0.99 would be one"));
  Changed other(fixture("opus"));
  other.change("generation_config.json", "{", "{\n \"length_penalty\": -1.0,");
  const ExchangedModel model = read_hf_marian(other.path());
  CHECK(model.normalize == 0);
  REQUIRE(model.warnings.size() == 1);
  CHECK_THAT(model.warnings.front(), Catch::Contains("length_penalty is -1"));
  CHECK_THAT(import_model(other.path()).checkpoint.config, Catch::Contains("normalize = 0"));
}

// As transformers saves a model with max_shard_size: the tensors of `opus` in two files, and an index.
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
  CHECK_THAT(error(), Catch::StartsWith("3: ") &&
                          Catch::Contains("names '../model.safetensors', which is no file beside it"));
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

TEST_CASE("Exchange: a folder without its main file is known by the others, and the file is named",
          "[unit]") {
  const auto error_without = [](const std::string& folder, const char* file) {
    const Changed changed(folder);
    std::filesystem::remove(changed.path() + file);
    CHECK(is_foreign(changed.path()));
    return error_of([&] { import_model(changed.path()); });
  };
  CHECK_THAT(error_without(fixture("opus"), "config.json"), Catch::Contains("config.json: cannot open"));
  CHECK_THAT(error_without(fixture("opus"), "model.safetensors"),
             Catch::Contains("neither model.safetensors nor"));
  CHECK_THAT(error_without(fixture("opus"), "source.spm"),
             Catch::EndsWith(": no source.spm in this folder; copy it again"));
  CHECK_THAT(error_without(fixture("../marian_npz/post"), "model.npz"),
             Catch::Contains("no .npz file in this folder"));
  const TemporaryFolder converted;
  write_ctranslate2(converted / "", random_model(), Quantization::float32);
  CHECK_THAT(error_without(converted / "", "model.bin"), Catch::Contains("model.bin: cannot open"));
  const tests::RandomRun run;
  for (const char* name : {"source.spm", "target.spm", "vocab.json"})
    std::filesystem::copy(fixture("opus") + "/" + name, run.path());
  CHECK_FALSE(is_foreign(run.path()));
}

TEST_CASE("Exchange: numbers of a type that is not read are refused with those that are", "[unit]") {
  const TemporaryFolder folder;
  const std::string header = R"({"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}})";
  std::string length(8, '\0');
  length[0] = static_cast<char>(header.size());
  CHECK_THAT(error_of([&] { safetensors_arrays(folder.write("x", length + header + "1")); }),
             Catch::EndsWith("a is F8_E4M3; F64, F32, F16, BF16, I64, I32, I16, I8 are read"));
}

// "early_stopping": transformers' generation/configuration_utils.py; without it other translations are found, of 300 lines 3.
TEST_CASE("Exchange: what is written for transformers searches as ours does", "[unit]") {
  const TemporaryFolder folder;
  write_hf_marian(folder / "", read_hf_marian(fixture("opus")));
  const auto settings = nlohmann::json::parse(read_file(folder / "generation_config.json"));
  CHECK(settings["early_stopping"] == true);
  CHECK(read_hf_marian(folder / "").warnings.empty());
}

TEST_CASE(
    "Exchange: a token that CTranslate2's settings name is in the vocabulary, and vocabularies are there",
    "[unit]") {
  const TemporaryFolder folder;
  write_ctranslate2(folder / "", random_model(), Quantization::float32);
  Changed start(folder / "");
  start.change("config.json", "\"decoder_start_token\": \"<sos>\"", "\"decoder_start_token\": \"<begin>\"");
  CHECK_THAT(error_of([&] { read_ctranslate2(start.path()); }),
             Catch::EndsWith("decoder_start_token is '<begin>', which the target's vocabulary lacks"));
  const Changed without(folder / "");
  for (const char* name : {"shared_vocabulary.json", "source_vocabulary.json", "target_vocabulary.json"})
    std::filesystem::remove(without.path() + name);
  CHECK_THAT(error_of([&] { read_ctranslate2(without.path()); }),
             Catch::Contains(
                 "neither shared_vocabulary nor source_vocabulary and target_vocabulary, .json or .txt"));
  start.change("config.json", "\"decoder_start_token\": \"<begin>\"", "\"decoder_start_token\": null");
  CHECK_THAT(error_of([&] { read_ctranslate2(start.path()); }),
             Catch::Contains("decoder_start_token is null"));
}

TEST_CASE("Exchange: CTranslate2's caller is told what a search of ours never lets come out", "[unit]") {
  for (const auto& [model, expected] : {std::pair{random_model(), R"([["<sos>"],["<pad>"]])"},
                                        {read_hf_marian(fixture("opus")), R"([["<pad>"]])"}}) {
    const TemporaryFolder folder;
    write_ctranslate2(folder / "", model, Quantization::float32);
    const auto settings = nlohmann::json::parse(read_file(folder / "config.json"));
    nlohmann::json never = settings["suppress_sequences"], wanted = nlohmann::json::parse(expected);
    std::sort(never.begin(), never.end());
    std::sort(wanted.begin(), wanted.end());
    CHECK(never == wanted);
  }
}

TEST_CASE("Exchange: CTranslate2's lists of pieces are JSON or have a piece a line", "[unit]") {
  ExchangedModel model = read_hf_marian(fixture("opus"));
  const TemporaryFolder folder;
  write_ctranslate2(folder / "", model, Quantization::float32);
  for (const std::string side : {"source", "target"}) {
    const data::Tokenizer& tokenizer =
        side == "source" ? *model.vocabularies.source : *model.vocabularies.target;
    std::string lines;
    for (int32_t id = 0; id < tokenizer.size(); ++id) lines += tokenizer.piece(id) + "\n";
    std::filesystem::remove(folder / (side + "_vocabulary.json"));
    folder.write(side + "_vocabulary.txt", lines);
  }
  CHECK(largest_difference(model, read_ctranslate2(folder / "")) == 0);
  CHECK(pieces_of_lines("a\r\n\u2028\nb c", "list") == std::vector<std::string>{"a\r", "\u2028", "b c"});
  CHECK_THAT(error_of([] { pieces_of_lines("a\n\nb\n", "list"); }),
             Catch::StartsWith("3: list: piece 1 is empty or stands there twice"));
}

TEST_CASE("Exchange: a revision that is newer than CTranslate2's own converters write is refused", "[unit]") {
  const TemporaryFolder folder;
  CTranslate2File file{.specification = "TransformerSpec", .revision = 99, .variables = {}};
  write_ctranslate2_file(folder / "model.bin", file);
  folder.write("config.json", "{}");
  CHECK_THAT(error_of([&] { read_ctranslate2(folder / ""); }),
             Catch::EndsWith(
                 "revision 99 of TransformerSpec; up to 7 is read, which converters of CTranslate2 4 write"));
}

TEST_CASE("Exchange: where a writer fails, the folder that was there stays", "[unit]") {
  const TemporaryFolder folder;
  const std::string path = folder / "there";
  const auto put = [](const char* text) {
    return [text](const std::string& temporary) { std::ofstream(temporary + "/file") << text; };
  };
  write_folder(path, put("old"));
  CHECK_THROWS(write_folder(path, [&](const std::string& temporary) {
    put("new")(temporary);
    fail(ErrorKind::failure, "no");
  }));
  CHECK(MappedFile(path + "/file").bytes() == "old");
  CHECK_FALSE(std::filesystem::exists(path + ".tmp"));
  write_folder(path, put("new"));
  CHECK(MappedFile(path + "/file").bytes() == "new");
}
