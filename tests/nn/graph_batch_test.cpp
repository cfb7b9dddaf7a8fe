// A batch with spare rows is the batch without them: same loss, same gradients.
#include "nn/train/graph_batch.h"

#include "kernels/r_drop.h"
#include "nn/classifier.h"
#include "nn/language_model.h"
#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

TEST_CASE("GraphBatch: spare rows and empty sentences change neither loss nor gradients", "[unit]") {
  const PackedBatch batch = random_batch({5, 1, 9, 3}, {4, 2, 1, 11}, 13, 17, 21);
  GraphBatch graph(Device::cpu(), {.source_tokens = 31, .target_tokens = 29, .sentences = 9});
  for (const int64_t max_length : {60, 100}) {  // short and long attention
    TransformerConfig config = tiny_config();
    config.max_length = max_length;
    config.learned_positions = max_length == 60;
    config.rotary_positions = max_length == 100;
    TinyModel model(DType::f64, config);
    const double loss = model.accumulate({batch});
    const auto expected = gradients_of(model.store);
    model.store.gradients().fill_zero();
    graph.load(random_batch({9, 9, 9}, {9, 9, 9}, 13, 17, 3));  // leaves traces that the next load
                                                                // must cover
    graph.load(batch);
    CHECK(model.accumulate({graph.batch()}) == Approx(loss).epsilon(1e-12));
    for (const auto& [name, gradient] : gradients_of(model.store)) {
      INFO(name);
      CHECK(max_relative_error(gradient, expected.at(name), 1e-6) < 1e-12);
    }
  }
}

namespace {

template <typename Model>
void check_spare_rows(const TransformerConfig& config, const PackedBatch& batch, GraphBatch& graph,
                      const kernels::RepeatedLoss* of_readings = nullptr) {
  Tiny<Model> model(DType::f64, config);
  const auto loss_of = [&](const PackedBatch& read) {
    return model.accumulate({read}, Tape::Mode::record, of_readings);
  };
  const double loss = loss_of(batch);
  const auto expected = gradients_of(model.store);
  model.store.gradients().fill_zero();
  graph.load(batch);
  CHECK(loss_of(graph.batch()) == Approx(loss).epsilon(1e-12));
  CHECK(worst_difference(gradients_of(model.store), expected) <= 1e-12);
}

TransformerConfig config_of(ModelType type) {
  TransformerConfig config = tiny_config();
  config.type = type;
  if (type == ModelType::classification) config.target_vocabulary = 3;
  return config;
}

PackedBatch some_lines() {
  PackedBatch lines = random_batch({0, 0, 0}, {4, 2, 11}, 13, 17, 21);
  lines.source_ids = lines.source_positions = lines.source_order = lines.source_offsets = Tensor();
  return lines;
}

PackedBatch some_texts() {
  PackedBatch texts = random_batch({5, 1, 9}, {1, 1, 1}, 13, 13, 21);
  texts.target_out = Tensor::from(Ids{0, 2, 1});
  return texts;
}

}  // namespace

TEST_CASE("GraphBatch: spare rows change nothing where a batch has no source, or a class a text", "[unit]") {
  GraphBatch lines(Device::cpu(), {.source_tokens = 0, .target_tokens = 29, .sentences = 9});
  check_spare_rows<LanguageModel>(config_of(ModelType::language_model), some_lines(), lines);
  GraphBatch texts(Device::cpu(), {.source_tokens = 31, .target_tokens = 9, .sentences = 9});
  check_spare_rows<Classifier>(config_of(ModelType::classification), some_texts(), texts);
}

// The spare rows lie behind both readings, yet the two tokens of a pair meet.
TEST_CASE("GraphBatch: spare rows change nothing of batches that are read twice", "[unit]") {
  const PackedBatch small = random_batch({5, 1, 9, 3}, {4, 2, 1, 11}, 13, 17, 21).repeated(2),
                    large = random_batch({9, 9, 9}, {9, 9, 9}, 13, 17, 3).repeated(2);
  GraphBatch pairs(Device::cpu(), {.source_tokens = 31, .target_tokens = 29, .sentences = 9}, 2);
  const kernels::RDropLoss both(2.5f);
  for (const PackedBatch& batch : {large, small})  // the second covers the traces of the first
    check_spare_rows<Transformer>(tiny_config(), batch, pairs, &both);
  GraphBatch lines(Device::cpu(), {.source_tokens = 0, .target_tokens = 29, .sentences = 9}, 2);
  check_spare_rows<LanguageModel>(config_of(ModelType::language_model), some_lines().repeated(2), lines,
                                  &both);
  GraphBatch texts(Device::cpu(), {.source_tokens = 31, .target_tokens = 9, .sentences = 9}, 2);
  check_spare_rows<Classifier>(config_of(ModelType::classification), some_texts().repeated(2), texts, &both);
}

TEST_CASE("GraphBatch: refuses a batch beyond its capacity", "[unit]") {
  GraphBatch graph(Device::cpu(), {.source_tokens = 10, .target_tokens = 10, .sentences = 1});
  CHECK_THROWS_AS(graph.load(random_batch({5, 5}, {5, 5}, 13, 17, 1)), Error);
  CHECK_THROWS_AS(graph.load(random_batch({11}, {5}, 13, 17, 1)), Error);
}
