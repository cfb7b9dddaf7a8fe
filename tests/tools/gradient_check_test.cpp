// What xformer-explain gradients says of right and of wrong gradients.
#include "tools/explain/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/tools/parsed_options.h"
#include "tests/tools/trained_run.h"

namespace xf::tools::explain {
namespace {

struct Pairs {
  const TrainingPair exact{DType::f64}, fast{DType::f32};
  const double loss = exact.accumulate();
  Pairs() { fast.accumulate(); }
  GradientReport check() const {
    GradientReport report = measure_gradients(exact, loss);
    check_gradients(exact, fast, 3, 1, report);
    return report;
  }
};

std::string complaint(const GradientReport& report) {
  try {
    demand_good(report);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("Explain gradients: the micro-model's are right in f64 and in f32", "[grad]") {
  const Pairs pairs;
  const GradientReport report = pairs.check();
  CHECK(report.parameters.size() == pairs.exact.store().parameters().size());
  for (const ParameterGradient& parameter : report.parameters) {
    INFO(parameter.name);
    CHECK(parameter.compared == 3);
    CHECK(parameter.f64 < kWorstF64);
    CHECK(parameter.f32 < kWorstF32);
    CHECK(parameter.norm > 0);
  }
  CHECK(complaint(report).empty());
}

TEST_CASE("Explain gradients: a wrong one is named, in either type", "[grad]") {
  for (const DType wrong : {DType::f64, DType::f32}) {
    const Pairs pairs;
    const std::string name = "decoder.layers.0.feed_forward.in.weight";
    const TrainingPair& pair = wrong == DType::f64 ? pairs.exact : pairs.fast;
    const Tensor gradient = pair.store().find(name).gradient;
    for (int64_t i = 0; i < gradient.numel(); ++i) {  // too large by a hundredth
      if (wrong == DType::f64) {
        gradient.data<double>()[i] *= 1.01;
      } else {
        gradient.data<float>()[i] *= 1.01f;
      }
    }
    CHECK_THAT(complaint(pairs.check()), Catch::Contains("the gradient of " + name + " is off"));
  }
}

TEST_CASE("Explain gradients: the key's bias has none, and that is no error", "[grad]") {
  // docs/derivations/attention_block.md, "Two consequences": columns D..2D-1 of the fused bias are
  // the keys'.
  const Pairs pairs;
  const auto gradient =
      pairs.exact.store().find("encoder.layers.0.self_attention.qkv.bias").gradient.to_vector<double>();
  for (size_t i = 8; i < 16; ++i) CHECK(std::abs(gradient[i]) < 1e-14);
  const GradientReport report = pairs.check();
  const auto json = nlohmann::json::parse(to_json(report));
  for (const auto& parameter : json.at("parameters")) CHECK(parameter.at("good") == true);
}

TEST_CASE("Explain gradients: no element is compared twice, and no more than there are", "[grad]") {
  const Pairs pairs;
  GradientReport report = measure_gradients(pairs.exact, pairs.loss);
  check_gradients(pairs.exact, pairs.fast, 50, 1, report);
  for (const ParameterGradient& parameter : report.parameters) {
    INFO(parameter.name);
    CHECK(parameter.compared == std::min<int64_t>(50, parameter.shape.numel()));
  }
}

TEST_CASE("Explain gradients: samples and seed without a check are refused", "[unit]") {
  for (const char* option : {"--samples", "--seed"}) {
    const char* const words[] = {"xformer-explain gradients", option, "3"};
    CHECK_THAT(xf::tests::error_of([&] { gradients(*parse_options(GradientsOptions(), 3, words)); }),
               Catch::Contains("has no effect without check"));
  }
}

TEST_CASE("Explain gradients: a classifier is told to be one before its text is read", "[unit]") {
  const xf::tests::TemporaryFolder folder;
  const std::string texts = folder.write("texts", "good day\nbad day\n"),
                    classes = folder.write("classes", "yes\nno\n"), run = folder / "run";
  std::istringstream options(
      "--task demo --type classification --tokenizer icu --min-freq 1 --dim-emb 16 --transformer-heads 2 "
      "--transformer-dim-ffn 16 --enc-depth 1 --dec-depth 0 --joint-vocab=false --tied-embeddings-all=false "
      "--valid-metrics ce-mean-words --after 1u --save-freq 1u --device cpu --cpu-threads 1 --quiet");
  std::vector<std::string> words(std::istream_iterator<std::string>(options), {});
  words.insert(words.end(), {"-t", texts, classes, "-m", run});
  train(xf::tests::parsed_training(words));
  CHECK_THAT(xf::tests::error_of([&] { TrainingPair(run, "good day", "none of the classes", DType::f32); }),
             Catch::Contains("is not a translation model but a model of type classification"));
}

TEST_CASE("Explain gradients: norm, RMS and largest are those of the gradient", "[unit]") {
  const TrainingPair pair(DType::f32);
  const GradientReport report = measure_gradients(pair, pair.accumulate());
  for (const ParameterGradient& parameter : report.parameters) {
    const auto values = pair.store().find(parameter.name).gradient.to_vector<float>();
    double sum = 0, largest = 0;
    for (const float value : values) {
      sum += static_cast<double>(value) * static_cast<double>(value);
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    CHECK(parameter.norm == Approx(std::sqrt(sum)).epsilon(1e-6));
    CHECK(parameter.root_mean_square ==
          Approx(std::sqrt(sum / static_cast<double>(values.size()))).epsilon(1e-6));
    CHECK(parameter.largest == largest);
  }
  CHECK(to_text(report).find("central differences") == std::string::npos);
}

}  // namespace
}  // namespace xf::tools::explain
