// What xformer-explain logits shows, against the loss of training and the definitions.
#include "tools/explain/output_probabilities.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/tools/random_run.h"
#include "tools/explain/training_pair.h"

namespace xf::tools::explain {
namespace {

constexpr const char *kSource = "a small dog sees the old horse", *kTarget = "ein kleiner hund sieht";

OutputProbabilities whole(const tests::RandomRun& run) {
  ModelTranslator model(run.translating());
  const auto& vocabulary = *model.model->vocabularies.target;
  return output_probabilities(trace_sentence(model, kSource, kTarget), vocabulary,
                              model.model->transformer().config().label_smoothing, vocabulary.size());
}

TEST_CASE("Explain logits: the losses add up to the loss of training", "[unit]") {
  const tests::RandomRun run;
  const OutputProbabilities output = whole(run);
  CHECK(output.positions.size() == 5);  // </s> among them
  CHECK(output.loss == Approx(TrainingPair(run.path(), kSource, kTarget, DType::f32).loss()).epsilon(1e-5));
  // label smoothing 0.1
  CHECK(output.loss != Approx(output.negative_log_probability).epsilon(1e-3));
}

TEST_CASE("Explain logits: probabilities add up to 1, and agree with ranks, logarithms and entropy",
          "[unit]") {
  const tests::RandomRun run;
  for (const OutputPosition& position : whole(run).positions) {
    double sum = 0, entropy = 0;
    bool listed = false;
    for (size_t k = 0; k < position.best.size(); ++k) {
      const OutputToken& token = position.best[k];
      sum += token.probability;
      entropy -= token.probability * token.log_probability;
      CHECK(std::log(token.probability) == Approx(token.log_probability).epsilon(1e-4));
      if (k > 0) CHECK(token.logit <= position.best[k - 1].logit);
      if (token.id != position.target.id) continue;
      listed = true;
      CHECK(position.target.rank == token.rank);
      CHECK(position.target.log_probability == Approx(token.log_probability).epsilon(1e-5));
    }
    CHECK(listed);
    CHECK(sum == Approx(1).epsilon(1e-5));
    CHECK(position.entropy == Approx(entropy).epsilon(1e-4));
  }
}

TEST_CASE("Explain logits: one position alone, in every form, and none that is not there", "[unit]") {
  const tests::RandomRun run;
  const OutputProbabilities output = whole(run);
  CHECK(output.shown(std::nullopt).size() == 5);
  CHECK(output.shown(2) == std::vector<size_t>{1});
  CHECK_THROWS_AS(output.shown(6), Error);
  const auto json = nlohmann::json::parse(to_json(output, {1}));
  CHECK(json.at("positions").size() == 1);
  CHECK(json.at("positions")[0].at("target").at("token") == output.positions[1].target.piece);
  CHECK(to_text(output, {1}).find("position 2: reads " + output.positions[1].read) != std::string::npos);
  CHECK(to_svg(output, {1}).find("2. after " + output.positions[1].read) != std::string::npos);
}

TEST_CASE("Explain: a model's f32 weights are read into f64 as they are", "[unit]") {
  const tests::RandomRun run;
  const TrainingPair narrow(run.path(), kSource, kTarget, DType::f32),
      wide(run.path(), kSource, kTarget, DType::f64);
  for (const nn::Parameter& parameter : narrow.store().parameters()) {
    const auto values = parameter.value.to_vector<float>();
    CHECK(wide.store().find(parameter.name).value.to_vector<double>() ==
          std::vector<double>(values.begin(), values.end()));
  }
  CHECK(wide.loss() == Approx(narrow.loss()).epsilon(1e-5));
}

}  // namespace
}  // namespace xf::tools::explain
