// The decoder without an encoder: central differences, causality, decoding step by step, training.
#include "nn/language_model.h"

#include "nn/train/memory_plan.h"
#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

TransformerConfig tiny_language_model(NormPlacement norm = NormPlacement::post, Tying tying = Tying::none) {
  TransformerConfig config = tiny_config();
  config.type = ModelType::language_model;
  config.source_vocabulary = config.encoder_layers = 0;
  config.norm = norm;
  config.tying = tying;
  return config;
}

// Targets alone, one sentence empty.
PackedBatch uneven_lines() {
  PackedBatch batch = random_batch({0, 0, 0, 0, 0}, {4, 2, 0, 1, 11}, 13, 17, 21);
  batch.source_ids = batch.source_positions = batch.source_order = batch.source_offsets = Tensor();
  return batch;
}

Tensor states_of(Tiny<LanguageModel>& tiny, const PackedBatch& batch) {
  Tape tape(tiny.arena, Tape::Mode::inference);
  ForwardContext context{.tape = tape};
  return tiny.model.states(context, batch, Tensor()).value();
}

}  // namespace

TEST_CASE("LanguageModel: gradients of every parameter under every norm and tying", "[grad]") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    for (const Tying tying : {Tying::none, Tying::target}) {
      TransformerConfig config = tiny_language_model(norm, tying);
      if (norm == NormPlacement::pre) config.activation = kernels::Activation::gelu;
      config.learned_positions = norm == NormPlacement::pre;
      config.rotary_positions = norm == NormPlacement::post && tying == Tying::none;
      if (tying == Tying::none) config.max_length = 100;  // long attention
      Tiny<LanguageModel> tiny(DType::f64, config);
      const Worst worst = sampled_gradient_error(tiny, uneven_lines());
      INFO("norm " << static_cast<int>(norm) << " tying " << static_cast<int>(tying) << ": " << worst.of);
      CHECK(worst.error <= 1e-6);
    }
  }
}

TEST_CASE("LanguageModel: a position sees nothing behind it and nothing of other lines", "[unit]") {
  Tiny<LanguageModel> tiny(DType::f64, tiny_language_model(NormPlacement::pre));
  PackedBatch batch = random_batch({0, 0}, {8, 5}, 13, 17, 4);
  const Tensor before = states_of(tiny, batch);
  int32_t& changed = batch.target_in.data<int32_t>()[6];
  changed = changed == 3 ? 4 : 3;
  const Tensor after = states_of(tiny, batch);
  CHECK(same_bits(before.slice_rows(0, 6), after.slice_rows(0, 6)));
  CHECK_FALSE(same_bits(before.slice_rows(6, 7), after.slice_rows(6, 7)));
  CHECK_FALSE(same_bits(before.slice_rows(7, 8), after.slice_rows(7, 8)));
  CHECK(same_bits(before.slice_rows(8, 13), after.slice_rows(8, 13)));
}

TEST_CASE("LanguageModel: decoding step by step gives the states of the whole line", "[unit]") {
  const NormPlacement norm = GENERATE(NormPlacement::post, NormPlacement::pre);
  constexpr int32_t kLines = 2, kLength = 7;
  TransformerConfig config = tiny_language_model(norm);
  config.learned_positions = norm == NormPlacement::pre;
  config.rotary_positions = norm == NormPlacement::post && GENERATE(false, true);
  Tiny<LanguageModel> tiny(DType::f64, config);
  const PackedBatch batch = random_batch({0, 0}, {kLength, kLength}, 13, 17, 4);
  const Tensor whole = states_of(tiny, batch);
  Tape tape(tiny.arena, Tape::Mode::inference);
  ForwardContext context{.tape = tape};
  std::vector<Tensor> cache(2);
  for (Tensor& layer : cache) layer = tiny.arena.allocate({kLines * kLength, 3 * 6}, DType::f64);
  for (int32_t t = 0; t < kLength; ++t) {
    Ids ids, rows;
    for (int32_t line = 0; line < kLines; ++line) {
      ids.push_back(batch.target_in.data<int32_t>()[line * kLength + t]);
      for (int32_t s = 0; s <= t; ++s) rows.push_back(s * kLines + line);
    }
    const Tensor states =
        tiny.model.decode_step(context, Tensor::from(ids), Tensor::from(Ids(kLines, t)), cache, t * kLines,
                               Tensor::from(rows, {kLines, t + 1}), Tensor::from(Ids(kLines, t + 1)));
    for (int32_t line = 0; line < kLines; ++line) {
      const int64_t row = line * kLength + t;
      CHECK(max_relative_error(states.slice_rows(line, line + 1), whole.slice_rows(row, row + 1), 1) <=
            1e-12);
    }
  }
}

TEST_CASE("LanguageModel: loss and gradients do not depend on how an update is cut into batches", "[unit]") {
  Tiny<LanguageModel> tiny(DType::f64, tiny_language_model());
  const PackedBatch batch = random_batch({0, 0, 0}, {4, 7, 2}, 13, 17, 21);
  const double loss = tiny.accumulate({batch});
  const auto expected = gradients_of(tiny.store);
  tiny.store.gradients().fill_zero();
  CHECK(tiny.accumulate({batch.part(0, 1), batch.part(1, 3)}) == Approx(loss).epsilon(1e-12));
  CHECK(worst_difference(gradients_of(tiny.store), expected) <= 1e-12);
}

TEST_CASE("LanguageModel: the trainer learns lines by heart, within the planned memory", "[unit]") {
  TransformerConfig config = tiny_language_model(NormPlacement::pre, Tying::target);
  config.dropout = config.attention_dropout = config.feed_forward_dropout = config.label_smoothing = 0;
  config.dim = 12;
  const PackedBatch batch = uneven_lines();
  const BatchSize size{.source_tokens = 0, .target_tokens = batch.target_tokens, .sentences = 5};
  const MemoryPlan plan = plan_memory(config, size);
  Tiny<LanguageModel> tiny(DType::f32, config, plan.activations);
  TrainerOptions options;
  options.schedule.peak = 1e-2;
  Trainer trainer(tiny.model, tiny.store, tiny.arena, options);
  double perplexity = 0;
  for (int64_t u = 1; u <= 150; ++u) {
    const UpdateResult result = trainer.update(u, [&] { return batch; });
    perplexity = std::exp(result.loss.plain / static_cast<double>(result.loss.tokens));
  }
  CHECK(tiny.arena.peak_bytes() == plan.activations);
  // The first tokens of four lines are a guess among four: 4 ln 4 nats of 18 tokens, and the rest
  // is known.
  CHECK(perplexity < 1.5);
  CHECK(perplexity > std::exp(4 * std::log(4.0) / 18) - 0.01);
}
