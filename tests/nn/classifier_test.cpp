// The encoder without a decoder: central differences, what pooling is, training.
#include "nn/classifier.h"

#include "nn/train/memory_plan.h"
#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

constexpr int32_t kClasses = 3;

TransformerConfig tiny_classifier(NormPlacement norm = NormPlacement::post) {
  TransformerConfig config = tiny_config();
  config.type = ModelType::classification;
  config.target_vocabulary = kClasses;
  config.decoder_layers = 0;
  config.norm = norm;
  return config;
}

// Texts of these lengths with `</s>`, and a class for each.
PackedBatch texts(const Ids& lengths, const Ids& classes, uint64_t seed = 21) {
  PackedBatch batch = random_batch(lengths, Ids(lengths.size(), 1), 13, 13, seed);
  batch.target_out = Tensor::from(classes);
  return batch;
}

PackedBatch uneven_texts() { return texts({5, 1, 9, 3, 2}, {0, 2, 1, 1, 0}); }

}  // namespace

TEST_CASE("Classifier: gradients of every parameter, the query at zero and elsewhere", "[grad]") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    for (const bool at_start : {true, false}) {
      TransformerConfig config = tiny_classifier(norm);
      if (at_start) config.max_length = 100;  // long attention
      config.learned_positions = norm == NormPlacement::pre;
      config.rotary_positions = norm == NormPlacement::post && !at_start;
      Tiny<Classifier> tiny(DType::f64, config);
      if (!at_start) {
        tiny.store.find("pooling.query").value.copy_from(random_tensor({config.dim}, DType::f64, 5));
      }
      const Worst worst = sampled_gradient_error(tiny, uneven_texts());
      INFO("norm " << static_cast<int>(norm) << (at_start ? " query 0: " : ": ") << worst.of);
      CHECK(worst.error <= 1e-6);
    }
  }
}

TEST_CASE("Classifier: pooling begins as the mean of a text's states, and a text of nothing is zero",
          "[unit]") {
  Tiny<Classifier> tiny(DType::f64, tiny_classifier());
  const Ids lengths{5, 0, 3};
  const PackedBatch batch = texts(lengths, {0, 1, 2});
  Tape tape(tiny.arena, Tape::Mode::inference);
  ForwardContext context{.tape = tape};
  const Variable x = tiny.model.encode(context, batch, Tensor());
  const auto y = as_doubles(tiny.model.pool(context, x, batch, Tensor()).value());
  const auto states = as_doubles(x.value());
  size_t token = 0;
  for (size_t b = 0; b < lengths.size(); ++b) {
    std::vector<double> mean(6, 0.0);
    for (int32_t t = 0; t < lengths[b]; ++t, ++token) {
      for (size_t d = 0; d < 6; ++d) mean[d] += states[token * 6 + d] / lengths[b];
    }
    for (size_t d = 0; d < 6; ++d) CHECK(y[b * 6 + d] == Approx(mean[d]).margin(1e-14));
  }
}

TEST_CASE("Classifier: loss and gradients do not depend on how an update is cut into batches", "[unit]") {
  Tiny<Classifier> tiny(DType::f64, tiny_classifier());
  const PackedBatch batch = uneven_texts();
  const double loss = tiny.accumulate({batch});
  const auto expected = gradients_of(tiny.store);
  tiny.store.gradients().fill_zero();
  CHECK(tiny.accumulate({batch.part(0, 2), batch.part(2, 5)}) == Approx(loss).epsilon(1e-12));
  CHECK(worst_difference(gradients_of(tiny.store), expected) <= 1e-12);
}

TEST_CASE("Classifier: the trainer learns which word a text holds, in f32 and bf16", "[unit]") {
  // The class is whether word 3 is in the text; the words besides are random.
  const DType dtype = GENERATE(DType::f32, DType::bf16);
  TransformerConfig config = tiny_classifier(NormPlacement::pre);
  config.dim = 12;
  config.dropout = config.attention_dropout = config.feed_forward_dropout = config.label_smoothing = 0;
  const auto batch_of = [](uint64_t seed) {
    PackedBatch batch = texts(Ids(40, 6), Ids(40, 0), seed);
    const int32_t* const ids = batch.source_ids.data<int32_t>();
    for (int b = 0; b < 40; ++b) {
      batch.target_out.data<int32_t>()[b] = std::find(ids + 6 * b, ids + 6 * b + 6, 3) != ids + 6 * b + 6;
    }
    return batch;
  };
  const BatchSize size{.source_tokens = 240, .target_tokens = 40, .sentences = 40};
  const MemoryPlan plan = plan_memory(config, size, dtype);
  Tiny<Classifier> tiny(dtype, config, plan.activations);
  TrainerOptions options;
  options.schedule.peak = 1e-2;
  Trainer trainer(tiny.model, tiny.store, tiny.arena, options);
  for (int64_t u = 1; u <= 100; ++u) {
    trainer.update(u, [&] { return batch_of(static_cast<uint64_t>(u)); });
  }
  CHECK(tiny.arena.peak_bytes() == plan.activations);
  const LossSums held_out = evaluate(tiny.model, tiny.arena, batch_of(1000));
  CHECK(held_out.plain / static_cast<double>(held_out.tokens) < 0.1);  // ln 2 is 0.69
}
