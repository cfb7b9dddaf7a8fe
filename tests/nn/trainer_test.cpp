#include "nn/train/trainer.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "kernels/r_drop.h"
#include "nn/train/r_drop.h"
#include "tests/data/errors.h"
#include "tests/nn/tiny_model.h"
#include "tests/nn/trainer_options.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

// Wide and long enough that kernels use a second thread.
TransformerConfig wider_config() {
  TransformerConfig config = tiny_config();
  config.dim = 32;
  config.heads = 4;
  config.feed_forward = 64;
  config.source_vocabulary = config.target_vocabulary = 90;
  return config;
}

PackedBatch wider_batch(uint64_t seed) {
  Ids source, target;
  PhiloxSequence random(seed, 1);
  for (int b = 0; b < 60; ++b) {
    source.push_back(1 + static_cast<int32_t>(random.below(20)));
    target.push_back(1 + static_cast<int32_t>(random.below(20)));
  }
  return random_batch(source, target, 90, 90, seed);
}

struct Run {
  std::vector<double> losses;
  Tensor values;
};

Run train(int threads, int64_t updates) {
  set_thread_count(threads);
  TinyModel model(DType::f32, wider_config());
  Trainer trainer(model.transformer, model.store, model.arena, options_for_tests());
  Run run;
  for (int64_t u = 1; u <= updates; ++u) {
    const UpdateResult result = trainer.update(u, [&] { return wider_batch(static_cast<uint64_t>(u)); });
    run.losses.push_back(result.loss.smoothed / static_cast<double>(result.loss.tokens));
  }
  run.values = model.store.values();
  return run;
}

}  // namespace

TEST_CASE("Trainer: two runs give the same bits and two threads the same losses within 1e-5", "[unit]") {
  const int threads_before = thread_count();
  const Run one = train(1, 20), again = train(1, 20), two = train(2, 20);
  set_thread_count(threads_before);
  CHECK(again.losses == one.losses);
  CHECK(same_bits(again.values, one.values));
  CHECK(max_relative_error(two.losses, one.losses) <= 1e-5);
  CHECK(one.losses.back() < 0.98 * one.losses.front());  // it learns
}

TEST_CASE("Trainer: micro-batches add up to the batch they were cut from", "[unit]") {
  // The first moment after one update is (1 - beta1) times the scaled gradient. Which rows are
  // multiplied together may decide the order of every sum: 72 terms one after the other in an
  // encoder layer (products 6, 2, 9, 6, 6, 10, softmax 9, norms 12 and 12), 116 in a decoder layer,
  // twice as many back, about 1,200 in all, on both sides.
  const double tolerance = std::sqrt(2.0) * rounding_of_sums(DType::f32, 1200);
  const PackedBatch batch = random_batch({5, 1, 9, 3}, {4, 2, 1, 11}, 13, 17, 21);
  TinyModel whole_model(DType::f32, tiny_config()), cut_model(DType::f32, tiny_config());
  Trainer whole(whole_model.transformer, whole_model.store, whole_model.arena, options_for_tests());
  Trainer cut(cut_model.transformer, cut_model.store, cut_model.arena, options_for_tests(2));
  const UpdateResult expected = whole.update(1, [&] { return batch; });
  size_t part = 0;
  const UpdateResult actual = cut.update(1, [&] {
    ++part;
    return part == 1 ? batch.part(0, 1) : batch.part(1, 4);
  });
  CHECK(part == 2);
  CHECK(actual.loss.tokens == 18);
  CHECK(actual.source_tokens == 18);
  CHECK(actual.sentences == 4);
  CHECK(actual.loss.smoothed == Approx(expected.loss.smoothed).epsilon(tolerance));
  CHECK(actual.loss.plain == Approx(expected.loss.plain).epsilon(tolerance));
  CHECK(actual.gradient_norm == Approx(expected.gradient_norm).epsilon(tolerance));
  CHECK(max_relative_error(cut.optimizer().state().at("first_moment"),
                           whole.optimizer().state().at("first_moment")) <= tolerance);
}

TEST_CASE("Trainer: the reported norm and rate are those of the mean loss and the schedule", "[unit]") {
  const PackedBatch batch = random_batch({5, 1}, {4, 3}, 13, 17, 21);
  TransformerConfig config = tiny_config();
  config.dropout = config.attention_dropout = config.feed_forward_dropout = 0;
  TinyModel model(DType::f64, config);
  model.accumulate({batch});
  double squares = 0;
  for (const double g : as_doubles(model.store.gradients())) squares += g * g;
  model.store.gradients().fill_zero();
  Trainer trainer(model.transformer, model.store, model.arena, options_for_tests());
  const UpdateResult result = trainer.update(1, [&] { return batch; });
  CHECK(result.gradient_norm == Approx(std::sqrt(squares) / 7).epsilon(1e-10));
  CHECK(result.learning_rate == Approx(3e-4));
}

TEST_CASE("Trainer: results can be asked for later, each with its own update's numbers", "[unit]") {
  const auto next = [](int64_t u) { return random_batch({5, static_cast<int32_t>(u)}, {4, 3}, 13, 17, 21); };
  TinyModel one_by_one(DType::f32, tiny_config()), at_once(DType::f32, tiny_config());
  Trainer a(one_by_one.transformer, one_by_one.store, one_by_one.arena, options_for_tests());
  Trainer b(at_once.transformer, at_once.store, at_once.arena, options_for_tests());
  std::vector<UpdateResult> expected;
  for (int64_t u = 1; u <= 3; ++u) {
    expected.push_back(a.update(u, [&] { return next(u); }));
    b.start(u, [&] { return next(u); });
    CHECK(b.started().back().source_tokens == 5 + u);
  }
  const std::vector<UpdateResult> results = b.finished();
  REQUIRE(results.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(results[i].update == static_cast<int64_t>(i) + 1);
    CHECK(results[i].loss.smoothed == expected[i].loss.smoothed);
    CHECK(results[i].gradient_norm == expected[i].gradient_norm);
    CHECK(results[i].learning_rate == expected[i].learning_rate);
  }
  CHECK(b.finished().empty());
}

TEST_CASE("Trainer: no more updates are started than results can be kept of", "[unit]") {
  TinyModel model(DType::f32, tiny_config());
  Trainer trainer(model.transformer, model.store, model.arena, options_for_tests());
  const PackedBatch batch = random_batch({1}, {1}, 13, 17, 21);
  int64_t u = 0;
  while (trainer.started().size() < Trainer::kMostStarted) trainer.start(++u, [&] { return batch; });
  CHECK_THROWS_WITH(trainer.start(++u, [&] { return batch; }), Catch::Contains("64 updates are started"));
}

TEST_CASE("Trainer: another seed or update drops other elements", "[unit]") {
  const PackedBatch batch = random_batch({5, 6}, {4, 7}, 13, 17, 21);
  const auto loss = [&](uint64_t seed, int64_t update) {
    TinyModel model(DType::f32, tiny_config());
    TrainerOptions options = options_for_tests();
    options.seed = seed;
    Trainer trainer(model.transformer, model.store, model.arena, options);
    return trainer.update(update, [&] { return batch; }).loss.smoothed;
  };
  CHECK(loss(1, 1) == loss(1, 1));
  CHECK(loss(1, 1) != loss(2, 1));
  CHECK(loss(1, 1) != loss(1, 2));
}

TEST_CASE("Trainer: a NaN gradient skips the update and the next one goes on", "[unit]") {
  const PackedBatch batch = random_batch({5, 6}, {4, 7}, 13, 17, 21);
  TinyModel model(DType::f32, tiny_config());
  Trainer trainer(model.transformer, model.store, model.arena, options_for_tests());
  trainer.update(1, [&] { return batch; });
  const auto values = as_doubles(model.store.values()),
             moment = as_doubles(trainer.optimizer().state().at("first_moment"));
  // of the table: it is added to
  model.store.parameters()[0].gradient.data<float>()[0] = std::nanf("");
  CHECK_FALSE(std::isfinite(trainer.update(2, [&] { return batch; }).gradient_norm));
  CHECK(as_doubles(model.store.values()) == values);
  CHECK(as_doubles(trainer.optimizer().state().at("first_moment")) == moment);
  CHECK(std::isfinite(trainer.update(3, [&] { return batch; }).gradient_norm));
  CHECK(as_doubles(model.store.values()) != values);
}

TEST_CASE("Trainer: what is not finite has a name, and no gradient is left behind", "[unit]") {
  const PackedBatch batch = random_batch({5, 6}, {4, 7}, 13, 17, 21);
  TinyModel model(DType::f32, tiny_config());
  Trainer trainer(model.transformer, model.store, model.arena, options_for_tests());
  const auto bad = [&] { return trainer.first_bad_value(1, batch).value_or("nothing"); };
  const Tensor weights = model.store.find("decoder.layers.1.feed_forward.in.weight").master;
  const std::vector<float> before = weights.to_vector<float>();
  float* const weight = weights.data<float>();
  CHECK(bad() == "nothing");
  weight[0] = std::nanf("");
  CHECK(bad() == "the weights decoder.layers.1.feed_forward.in.weight");
  // Finite; sums of their products are not.
  for (size_t i = 0; i < before.size(); ++i) weight[i] = i % 3 == 0 ? 3e38f : -3e38f;
  CHECK_THAT(bad(), Catch::Contains("of decoder.layers.1.feed_forward"));
  weights.copy_from(Tensor::from(before, weights.shape()));
  CHECK(bad() == "nothing");
  for (const double value : as_doubles(model.store.gradients())) CHECK(value == 0);
}

TEST_CASE("Trainer: where memory is short a batch is computed in parts, with the same gradient", "[unit]") {
  // Tolerance: as for micro-batches, above.
  const double tolerance = std::sqrt(2.0) * rounding_of_sums(DType::f32, 1200);
  const PackedBatch batch = random_batch({5, 1, 9, 3, 7, 2}, {4, 2, 1, 11, 3, 6}, 13, 17, 21);
  TinyModel roomy_model(DType::f32, tiny_config()), tight_model(DType::f32, tiny_config());
  Trainer roomy(roomy_model.transformer, roomy_model.store, roomy_model.arena, options_for_tests());
  Trainer tight(tight_model.transformer, tight_model.store, tight_model.arena, options_for_tests());
  const UpdateResult expected = roomy.update(1, [&] { return batch; });
  tight_model.arena.set_limit(roomy_model.arena.peak_bytes() / 2);
  int64_t asked = 0;
  const UpdateResult actual = tight.update(1, [&] { return ++asked, batch; });
  CHECK(asked == 1);
  CHECK(tight.capacity().sentences > 0);
  CHECK(tight.capacity().sentences < batch.sentences);
  CHECK(actual.loss.tokens == expected.loss.tokens);
  CHECK(actual.source_tokens == expected.source_tokens);
  CHECK(actual.sentences == expected.sentences);
  CHECK(actual.loss.smoothed == Approx(expected.loss.smoothed).epsilon(tolerance));
  CHECK(max_relative_error(tight.optimizer().state().at("first_moment"),
                           roomy.optimizer().state().at("first_moment")) <= tolerance);
  const int64_t lowered = tight.capacity().target_tokens;
  tight.update(2, [&] { return batch; });
  CHECK(tight.capacity().target_tokens == lowered);  // it stays
}

TEST_CASE("Trainer: a sentence that does not fit alone is an error that says what to lower", "[unit]") {
  TinyModel model(DType::f32, tiny_config());
  Trainer trainer(model.transformer, model.store, model.arena, options_for_tests());
  model.arena.set_limit(1 << 10);
  const std::string error = error_of([&] {
    trainer.update(1, [&] { return random_batch({5, 6}, {4, 7}, 13, 17, 21); });
  });
  CHECK_THAT(error, Catch::StartsWith("5: out of memory") &&
                        Catch::Contains("lower max-length, transformer-dim-ffn or dim-emb"));
}

TEST_CASE("Evaluation: has no dropout and changes nothing", "[unit]") {
  // A sentence's loss does not depend on the batch or the update it is in.
  const PackedBatch batch = random_batch({5, 1, 6}, {4, 2, 7}, 13, 17, 21);
  TinyModel model(DType::f64, tiny_config());
  const auto values = as_doubles(model.store.values());
  const LossSums all = evaluate(model.transformer, model.arena, batch);
  const LossSums first = evaluate(model.transformer, model.arena, batch.part(0, 2)),
                 last = evaluate(model.transformer, model.arena, batch.part(2, 3));
  CHECK(all.tokens == 13);
  CHECK(all.plain == Approx(first.plain + last.plain).epsilon(1e-12));
  CHECK(all.smoothed == Approx(first.smoothed + last.smoothed).epsilon(1e-12));
  CHECK(as_doubles(model.store.values()) == values);
  CHECK(model.arena.used_bytes() == 0);
}

// The whole model's gradient: of two passes with other dropout, their losses and their divergence.
TEST_CASE("R-Drop: the gradient of two passes matches central differences", "[grad]") {
  const PackedBatch batch = random_batch({5, 1, 4}, {4, 2, 3}, 13, 17, 21).repeated(2);
  TinyModel model(DType::f64, tiny_config());
  const Tensor counters = Tensor::from(Ids{5, 0, 5, 0}, {2, 2});
  const kernels::RDropLoss of_readings(2.5f);
  const auto pass = [&](bool backward) {
    const Tensor sums = Tensor::zeros({2}, DType::f64);
    Tape tape(model.arena);
    ForwardContext context{.tape = tape, .training = true, .seed = 99, .loss = &of_readings};
    const Variable loss = model.transformer.loss(context, batch, counters, sums);
    if (backward) tape.backward(loss);
    return as_doubles(sums)[0];
  };
  pass(true);
  const std::vector<double> gradient = as_doubles(model.store.gradients());
  auto* const values = model.store.masters().data<double>();
  double largest = 0, error = 0;
  for (const double g : gradient) largest = std::max(largest, std::abs(g));
  for (size_t i = 0; i < gradient.size(); i += 7) {
    const double before = values[i], h = 1e-5;
    values[i] = before + h;
    const double above = pass(false);
    values[i] = before - h;
    const double below = pass(false);
    values[i] = before;
    error = std::max(error, std::abs((above - below) / (2 * h) - gradient[i]) / largest);
  }
  CHECK(error <= 1e-6);
}

TEST_CASE("R-Drop: without dropout two passes agree, and an update is that of one", "[unit]") {
  const PackedBatch batch = random_batch({5, 1, 9, 3}, {4, 2, 1, 11}, 13, 17, 21);
  TransformerConfig config = tiny_config();
  const auto update = [&](double alpha) {
    TinyModel model(DType::f64, config);
    TrainerOptions options = options_for_tests();
    options.method = r_drop(alpha);
    Trainer trainer(model.transformer, model.store, model.arena, options);
    UpdateResult result = trainer.update(1, [&] { return batch; });
    return std::pair{result, as_doubles(trainer.optimizer().state().at("first_moment"))};
  };
  const auto [with_dropout, moved_apart] = update(5);
  CHECK(with_dropout.loss.smoothed > update(1e-9).first.loss.smoothed * 1.001);
  config.dropout = config.attention_dropout = config.feed_forward_dropout = 0;
  const auto [one, moved] = update(0);
  const auto [two, moved_twice] = update(5);
  CHECK(two.loss.tokens == one.loss.tokens);
  CHECK(two.source_tokens == one.source_tokens);
  CHECK(two.loss.smoothed == Approx(one.loss.smoothed).epsilon(1e-12));
  CHECK(two.loss.plain == Approx(one.loss.plain).epsilon(1e-12));
  CHECK(two.gradient_norm == Approx(one.gradient_norm).epsilon(1e-10));
  double error = 0;
  for (size_t i = 0; i < moved.size(); ++i) error = std::max(error, std::abs(moved[i] - moved_twice[i]));
  CHECK(error <= 1e-12);
}

TEST_CASE("R-Drop: begun late, an update is one without it until then and one with it from then on",
          "[unit]") {
  const PackedBatch batch = random_batch({5, 1, 9, 3}, {4, 2, 1, 11}, 13, 17, 21);
  const auto losses = [&](double alpha, int64_t after) {
    TinyModel model(DType::f64, tiny_config());
    TrainerOptions options = options_for_tests();
    options.method = r_drop(alpha, after);
    options.schedule.peak = 0;  // the weights stay
    Trainer trainer(model.transformer, model.store, model.arena, options);
    for (int64_t u = 1; u <= 4; ++u)
      trainer.start(u, [&] { return batch; });  // asked for together, each is as it was
    std::vector<double> values;
    for (const UpdateResult& result : trainer.finished()) {
      CHECK(result.loss.tokens == batch.target_tokens);
      values.push_back(result.loss.smoothed);
      values.push_back(result.gradient_norm);
    }
    return values;
  };
  const std::vector<double> without = losses(0, 0), all = losses(5, 0), late = losses(5, 2);
  for (size_t i = 0; i < late.size(); ++i) {
    CHECK(late[i] == (i < 4 ? without : all)[i]);
    CHECK(without[i] != all[i]);
  }
}

TEST_CASE("Trainer: words that are dropped are those of the update, and without a rate none is", "[unit]") {
  const PackedBatch batch = random_batch({5, 6}, {4, 7}, 13, 17, 21);
  const auto loss = [&](const WordDropout& words, int64_t update, const PackedBatch& read) {
    TransformerConfig config = tiny_config();
    config.dropout = config.attention_dropout = config.feed_forward_dropout = 0;
    TinyModel model(DType::f64, config);
    TrainerOptions options = options_for_tests();
    options.word_dropout = words;
    Trainer trainer(model.transformer, model.store, model.arena, options);
    return trainer.update(update, [&] { return read; }).loss.smoothed;
  };
  const WordDropout half{.source = 0.5f, .target = 0.5f, .source_unknown = 1, .target_unknown = 1};
  const uint64_t seed = options_for_tests().seed;
  CHECK(loss(half, 3, batch) == loss({}, 3, drop_words(batch, half, seed, {3, 0, 0})));
  CHECK(loss(half, 3, batch) != loss({}, 3, batch));
  CHECK(loss(half, 3, batch) != loss(half, 4, batch));
}
