// Models to and from CTranslate2; with the package itself: tests/peers/ctranslate2_models.py.
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/tools/exchange_models.h"
#include "tools/formats/compare_models.h"
#include "tools/formats/ctranslate2.h"
#include "tools/formats/ctranslate2_file.h"
#include "tools/formats/import_model.h"
#include "tools/formats/settings.h"

using namespace xf;
using namespace xf::tools;
using namespace xf::tools::exchange;
using xf::tests::Changed;
using xf::tests::error_of;
using xf::tests::fixture;
using xf::tests::random_model;
using xf::tests::TemporaryFolder;

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
        }).ends_with("/model.bin: num_heads is 0; it must be 1 or more"));
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

// What python/ctranslate2/converters/ of CTranslate2 4.8.5 write; with the package itself:
// tests/peers/ctranslate2_models.py.
TEST_CASE("Exchange: embeddings are multiplied as CTranslate2's file says, by a flag or a number", "[unit]") {
  for (const char* name : {"opus", "separate", "untied"}) {  // tied all, tied to the output, not
                                                             // tied
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
  CHECK_THAT(import_model(other.path()).checkpoint.model_config,
             Catch::Contains("layer-norm-epsilon = 0.001"));
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
             Catch::StartsWith("3: list: piece 1 is empty or appears twice"));
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

TEST_CASE("Exchange: more layers than a model of CTranslate2 has are refused at once", "[unit]") {
  Converted converted(read_hf_marian(fixture("opus")));
  for (int l = 2; l <= 1000; ++l)
    converted.set<float>(fmt::format("encoder/layer_{}/self_attention/linear_0/weight", l), ArrayType::f32,
                         {0}, {1});
  CHECK_THAT(converted.error(), Catch::EndsWith("/model.bin: its encoder has more than 1000 layers"));
}

TEST_CASE("Exchange: a width that CTranslate2's layers do not have makes no positions", "[unit]") {
  Converted converted(read_hf_marian(fixture("opus")));
  for (const char* side : {"encoder", "decoder"})
    converted.drop(std::string(side) + "/position_encodings/encodings");
  converted.set<int8_t>("decoder/embeddings/weight", ArrayType::i8, std::vector<int8_t>(1 << 20),
                        {1, 1 << 20});
  CHECK_THAT(converted.error(),
             Catch::StartsWith("3: ") && Catch::Contains("embeddings are 1048576 wide, and "));
}
