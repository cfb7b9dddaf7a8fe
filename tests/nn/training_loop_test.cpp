#include "nn/train/interval.h"
#include "tests/nn/training_loop_task.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

TEST_CASE("Training loop: saves when it is due, when it is best, and at the end", "[unit]") {
  LoopTask task;
  CHECK(train(task) == "no error");
  CHECK(task.saved == std::vector<int64_t>{2, 3, 4, 6, 8, 9});
  CHECK(task.best == std::vector<int64_t>{3, 6, 9});
  CHECK(task.states.back().saved_at == 9);
}

// A kill comes after a save and before anything else that is kept.
TEST_CASE("Training loop: a save that fails is warned about, and what is not saved is not the best",
          "[unit]") {
  LoopTask task;
  task.full = {3, 4};
  CHECK(train(task) == "no error");
  CHECK(task.saved == std::vector<int64_t>{2, 6, 8, 9});
  CHECK(task.best == std::vector<int64_t>{6, 9});
  REQUIRE(task.warnings.size() == 2);
  CHECK(task.warnings[0] == "no room; the earlier checkpoints are intact, and the next save tries again");
}

TEST_CASE("Training loop: the third failure in a row and a failure of the last save end the run", "[unit]") {
  LoopTask third;
  third.full = {4, 6, 8};
  CHECK(train(third) == "5: no room");
  CHECK(third.saved == std::vector<int64_t>{2, 3});
  CHECK(third.warnings.size() == 2);  // at 6 once, though it is due and the best
  LoopTask last;
  last.full = {8};
  CHECK(train(last, 8) == "5: no room");
  CHECK(last.saved == std::vector<int64_t>{2, 3, 4, 6});
  CHECK(last.warnings.size() == 1);  // at the save that was due, which the end tried again
}

TEST_CASE("Training loop: where the text can be read no further, what is learnt is saved", "[unit]") {
  LoopTask task;
  task.trainer_options.micro_batches = 2;
  const ErrorKind kind = GENERATE(ErrorKind::data, ErrorKind::failure);
  task.fault = [&](int64_t batches) {
    if (batches == 11) fail(kind, "text.corpus: was cut short");  // the second one of an update
  };
  CHECK_THAT(train(task), Catch::EndsWith(": text.corpus: was cut short"));
  if (kind != ErrorKind::data) {
    CHECK(task.saved == std::vector<int64_t>{2, 3, 4});
    return;
  }
  CHECK(task.saved == std::vector<int64_t>{2, 3, 4, 5});
  CHECK(task.states.back().update == 5);
  CHECK(task.states.back().saved_at == 4);  // by the schedule
}

TEST_CASE("Training loop: progress counts the part of an epoch that is done, and the limit that is nearest",
          "[unit]") {
  LoopOptions options{.after = {{4, TrainingLength::Unit::epochs}}};
  TrainingState state;
  state.update = 30;
  state.epoch = 1;
  state.position = 50;
  CHECK(progress(options, state, 100) == 1.5 / 4);
  CHECK(progress(options, state, 0) == 1.0 / 4);
  options.after.push_back({60, TrainingLength::Unit::updates});
  CHECK(progress(options, state, 100) == 0.5);
  CHECK_FALSE(progress({}, state, 100).has_value());
}

TEST_CASE("Training loop: an epoch's loss is over its updates, through a resume too", "[unit]") {
  LoopTask whole;
  whole.batches_per_epoch = 3;
  REQUIRE(train(whole) == "no error");
  REQUIRE(whole.epochs.size() == 3);
  for (size_t epoch = 0; epoch < 3; ++epoch) {
    LossSums sums;
    double means = 0;
    for (size_t update = 3 * epoch; update < 3 * epoch + 3; ++update) {
      sums += whole.losses[update];
      means += whole.losses[update].plain / static_cast<double>(whole.losses[update].tokens);
    }
    CHECK(whole.epochs[epoch].updates == 3);
    CHECK(whole.epochs[epoch].sums.tokens == sums.tokens);
    CHECK(whole.epochs[epoch].sums.plain == sums.plain);
    CHECK(whole.epochs[epoch].update_means == means);
  }
  for (const TrainingState& saved : whole.states) {
    LoopTask rest;
    rest.batches_per_epoch = 3;
    train(rest, 9, training_state_from(to_state(saved)));
    INFO("killed at " << saved.update);
    for (const EpochLoss& epoch : rest.epochs) CHECK(epoch.updates == 3);
  }
}

TEST_CASE("Training loop: a lack of memory is told, with what is done about it", "[unit]") {
  LoopTask task;
  task.fault = [&](int64_t batch) {
    if (batch == 1) task.model->arena.set_limit(task.model->arena.peak_bytes() - 1);
  };
  CHECK(train(task) == "no error");
  REQUIRE(task.warnings.size() == 1);
  CHECK_THAT(task.warnings.front(), Catch::StartsWith("update 2: out of memory; from here on"));
}

TEST_CASE("Training loop: an optimiser that begins behind an update corrects its moments from there",
          "[unit]") {
  // Adam's first update moves each weight by the learning rate, whatever the gradient.
  const auto moved = [](int64_t began) {
    TinyModel model(DType::f32, tiny_config());
    TrainerOptions options;
    options.schedule = {.peak = 1e-3};
    Trainer trainer(model.transformer, model.store, model.arena, options);
    trainer.begin_optimizer_behind(began);
    const std::vector<float> before = copy_of(model.store.values()).to_vector<float>();
    trainer.update(101, [] { return random_batch({3, 4}, {5, 2}, 13, 17, 1); });
    const std::vector<float> after = model.store.values().to_vector<float>();
    double most = 0;
    for (size_t i = 0; i < after.size(); ++i) most = std::max(most, std::abs(double{after[i]} - before[i]));
    return most;
  };
  CHECK(moved(100) == Approx(1e-3).epsilon(0.01));
  CHECK(moved(0) < 0.75e-3);
}
