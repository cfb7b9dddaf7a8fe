#include <cmath>
#include <limits>

#include "nn/train/divergence_detector.h"
#include "nn/train/r_drop.h"
#include "tests/nn/training_loop_task.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

TEST_CASE("Training loop: a weight that turns NaN ends the run with its name, and is saved to look at",
          "[unit]") {
  LoopTask task;
  const std::string name = "encoder.layers.1.self_attention.out.weight";
  task.fault = [&](int64_t batch) {
    if (batch == 4) task.model->store.find(name).master.data<float>()[0] = std::nanf("");
  };
  const std::string error = train(task, 90);
  CHECK(error ==
        "4: training diverged at update 25: "
        "21 updates in a row without a finite gradient; not finite: the weights " +
            name + "; lower learn-rate, set clip-norm 1, or let --rollback do it");
  CHECK(task.crashed == std::vector<int64_t>{25});
  REQUIRE(task.warnings.size() == 21);
  CHECK(task.warnings.front() == "update 5: the gradient is not finite; skipped, 1 in a row");
  CHECK(task.best == std::vector<int64_t>{3, 6, 9, 12, 15, 18, 21, 24});
}

TEST_CASE("Training loop: twenty bad gradients in a row are skipped, and training goes on", "[unit]") {
  LoopTask task;
  Tensor good;
  task.fault = [&](int64_t batch) {
    float& weight = task.model->store.find("output.bias").master.data<float>()[0];
    if (batch == 4) good = copy_of(task.model->store.values());
    if (batch == 4) weight = std::nanf("");
    if (batch != 24) return;
    weight = good.data<float>()[task.model->store.find("output.bias").master.data<float>() -
                                task.model->store.values().data<float>()];
    CHECK(same_bits(task.model->store.values(), good));  // of twenty updates none changed a weight
  };
  CHECK(train(task, 40) == "no error");
  CHECK(task.crashed.empty());
  CHECK(task.states.back().skipped == 20);
  CHECK(task.states.back().skipped_in_row == 0);
}

namespace {

// A hundred times the learning rate from update 300 on, as a weight decay of that strength would
// act: the weights are thrown far off, once.
void throw_off(LoopTask& task, int64_t batch) {
  if (batch != 300) return;
  float* const values = task.model->store.values().data<float>();
  PhiloxSequence random(5, 5);
  for (int64_t i = 0; i < task.model->store.values().numel(); ++i)
    values[i] += static_cast<float>(random.below(1000)) / 100 - 5;
}

}  // namespace

TEST_CASE("Training loop: a loss that runs away is warned about", "[unit]") {
  LoopTask task;
  task.fault = [&](int64_t batch) { throw_off(task, batch); };
  CHECK(train(task, 320) == "no error");
  REQUIRE(task.warnings.size() == 1);
  CHECK_THAT(task.warnings.front(), Catch::Contains("the loss diverges: "));
  LoopTask calm;
  train(calm, 320);
  CHECK(calm.warnings.empty());
}

TEST_CASE("Training loop: R-Drop that begins late adds to the loss, which does not run away for that",
          "[unit]") {
  LoopTask task;
  task.trainer_options.method = r_drop(2000, 300);
  CHECK(train(task, 320) == "no error");
  CHECK(task.losses[300].smoothed > 3 * task.losses[299].smoothed);
  CHECK(task.warnings.empty());
}

TEST_CASE("Training loop: a loss that runs away ends a run that was told to stop", "[unit]") {
  LoopTask task;
  task.fault = [&](int64_t batch) { throw_off(task, batch); };
  CHECK_THAT(train(task, 320, {}, {.peak = 1e-3}, OnDivergence::stop),
             Catch::StartsWith("4: training diverged at update 30") && Catch::Contains("the loss diverges"));
  CHECK(task.crashed.size() == 1);
}

TEST_CASE("Training loop: a rollback goes on from before the loss ran away, with half the rate", "[unit]") {
  LoopTask task;
  task.fault = [&](int64_t batch) { throw_off(task, batch); };
  CHECK(train(task, 320, {}, {.peak = 1e-3}, OnDivergence::roll_back) == "no error");
  CHECK(task.rolled_back == std::vector<int64_t>{300});
  CHECK(task.rates[300] == 1e-3);
  CHECK(task.rates.back() == 0.5e-3);
  CHECK(task.states.back().update == 320);
  CHECK(task.states.back().rollbacks == 1);
  CHECK(training_state_from(to_state(task.states.back())).rate_scale == 0.5);
  REQUIRE(task.warnings.size() == 1);
  CHECK_THAT(task.warnings.front(), Catch::Contains("back to update 300, the learning rate times 0.5"));
}

TEST_CASE("Training loop: five rollbacks are the most, and without an earlier save there is none", "[unit]") {
  LoopTask again;
  again.fault = [&](int64_t batch) {
    if (batch >= 9) again.model->store.find("output.bias").value.data<float>()[0] = std::nanf("");
  };
  CHECK_THAT(train(again, 40, {}, {.peak = 1e-3}, OnDivergence::roll_back),
             Catch::StartsWith("4: training diverged") && Catch::Contains("after 5 rollbacks"));
  CHECK(again.rolled_back == std::vector<int64_t>{9, 8, 6, 4, 3});  // none is any good
  LoopTask unsaved;
  unsaved.fault = [&](int64_t) {
    unsaved.model->store.find("output.bias").value.data<float>()[0] = std::nanf("");
    unsaved.weights.clear();
  };
  CHECK_THAT(train(unsaved, 40, {}, {.peak = 1e-3}, OnDivergence::roll_back),
             Catch::Contains("no earlier checkpoint is left"));
}

TEST_CASE(
    "Training loop: a validation that finds the weights gone is divergence, "
    "and a rollback passes the save over",
    "[unit]") {
  const auto gone_twice = [](LoopTask& task) {
    return [&task, left = 2](int64_t update) mutable {
      if (update == 6 && left-- > 0) fail(ErrorKind::diverged, "search: not finite");
    };
  };
  LoopTask task;
  task.on_validate = gone_twice(task);
  CHECK(train(task, 9, {}, {.peak = 1e-3}, OnDivergence::roll_back) == "no error");
  CHECK(task.rolled_back == std::vector<int64_t>{6, 4});
  CHECK(task.saved.back() == 9);
  REQUIRE(task.warnings.size() == 2);
  CHECK_THAT(task.warnings.front(),
             Catch::StartsWith("training diverged at update 6: search: not finite; back to"));
  LoopTask last;  // where nothing is due any more
  last.on_validate = gone_twice(last);
  CHECK(train(last, 6, {}, {.peak = 1e-3}, OnDivergence::roll_back) == "no error");
  CHECK(last.rolled_back == std::vector<int64_t>{6, 4});
  LoopTask given_up;
  given_up.on_validate = gone_twice(given_up);
  CHECK_THAT(train(given_up),
             Catch::StartsWith("4: training diverged at update 6: search: not finite; lower learn-rate"));
  CHECK(given_up.crashed == std::vector<int64_t>{6});
}

TEST_CASE("Training loop: a rollback that cannot be saved is warned about, and goes on", "[unit]") {
  LoopTask task;
  task.fault = [&](int64_t batch) {
    throw_off(task, batch);
    if (batch == 300) task.full = {300};
    if (batch == 318) task.full.clear();
  };
  CHECK(train(task, 320, {}, {.peak = 1e-3}, OnDivergence::roll_back) == "no error");
  CHECK(task.rolled_back == std::vector<int64_t>{300});
  REQUIRE(task.warnings.size() == 2);
  CHECK(task.warnings.back() == "no room; not saved, but the earlier checkpoints are intact");
}

TEST_CASE(
    "Training loop: where the loss of before does not count, the next one is what others are held against",
    "[unit]") {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  TrainingState state;
  state.update = state.last_stable_update = 5000;
  state.fast_loss = state.slow_loss = kUnknown;
  state.loss_variance = 1e-4;
  LoopTask task;
  CHECK(train(task, 5003, training_state_from(to_state(state))) == "no error");
  CHECK(task.warnings.empty());
  const double first = task.losses.front().plain / static_cast<double>(task.losses.front().tokens);
  CHECK(task.states.back().slow_loss == Approx(first).epsilon(1e-3));
  LoopTask thrown;
  // before the second update
  thrown.fault = [&](int64_t batch) { throw_off(thrown, 300 + batch - 1); };
  CHECK(train(thrown, 5005, state) == "no error");
  REQUIRE_FALSE(thrown.warnings.empty());
  CHECK_THAT(thrown.warnings.front(), Catch::StartsWith("update 5002: the loss diverges: "));
}

namespace {

// As on a device: at the end updates are under way whose losses nobody has looked at.
class LateTask final : public LoopTask {
 public:
  int64_t late_at = 7;
  void on_update(const TrainingState& state, const UpdateResult& result) override {
    LoopTask::on_update(state, result);
    if (state.update != late_at) return;
    late_at = 0;
    model->store.find("output.bias").value.data<float>()[0] = std::nanf("");
    for (int64_t u = 1; u <= 21; ++u) trainer->start(state.update + u, [&] { return next_batch(); });
  }
};

}  // namespace

TEST_CASE("Training loop: divergence that shows only when the end looks at the losses is none the less one",
          "[unit]") {
  LateTask task;
  CHECK_THAT(train(task, 7), Catch::StartsWith("4: training diverged at update 28"));
  CHECK(task.crashed == std::vector<int64_t>{7});
  CHECK(task.saved == std::vector<int64_t>{2, 3, 4, 6});
  LateTask again;
  CHECK(train(again, 7, {}, {.peak = 1e-3}, OnDivergence::roll_back) == "no error");
  CHECK(again.rolled_back == std::vector<int64_t>{6});
  CHECK(again.saved.back() == 7);
}

// The first hundred losses make the means, so that an explosion among them can only be held against
// the loss before.
TEST_CASE("Training loop: a loss that explodes in the first hundred updates is divergence too", "[unit]") {
  constexpr Schedule kFarTooHigh{.peak = 1e4};
  LoopTask warned;
  CHECK(train(warned, 60, {}, kFarTooHigh) == "no error");
  REQUIRE_FALSE(warned.warnings.empty());
  CHECK_THAT(warned.warnings.front(), Catch::Contains("the loss diverges: "));
  LoopTask stopped;
  CHECK_THAT(train(stopped, 60, {}, kFarTooHigh, OnDivergence::stop),
             Catch::StartsWith("4: training diverged at update ") && Catch::Contains("the loss diverges"));
  CHECK(stopped.rates.size() < 60);
  CHECK(stopped.crashed.size() == 1);
  for (const double rate : {1e-3, 1e-2}) {
    LoopTask calm;
    CHECK(train(calm, 60, {}, {.peak = rate}, OnDivergence::stop) == "no error");
  }
}

TEST_CASE(
    "Training loop: a rollback in the first hundred updates goes back to a save of before the explosion",
    "[unit]") {
  LoopTask task;
  task.fault = [&](int64_t batch) { throw_off(task, batch == 41 ? 300 : -1); };
  CHECK(train(task, 80, {}, {.peak = 1e-3}, OnDivergence::roll_back) == "no error");
  REQUIRE_FALSE(task.rolled_back.empty());
  CHECK(task.rolled_back.front() <= 40);
  CHECK(task.rates.back() < 1e-3);
}

TEST_CASE(
    "Training loop: the first loss is saved, and one that an earlier version did not save judges nothing",
    "[unit]") {
  LoopTask task;
  TrainingState state;
  CHECK(train(task, 6, {}, state) == "no error");
  const double first = task.losses.front().plain / static_cast<double>(task.losses.front().tokens);
  CHECK(training_state_from(to_state(state)).first_loss == first);
  CHECK(std::isnan(training_state_from(to_state(TrainingState{})).first_loss));
  TrainingState old;
  old.fast_loss = 1e9;
  old.slow_loss = 1e9;
  CHECK_FALSE(loss_diverges(old, 50));
}

TEST_CASE("Training loop: a run does not end well with a loss that is not finite", "[unit]") {
  for (const int64_t from : {7, 8}) {  // of nine updates, the first of which is batch 0
    LoopTask task;
    task.fault = [&](int64_t batch) {
      if (batch == from) task.model->store.find("output.bias").master.data<float>()[0] = std::nanf("");
    };
    CHECK_THAT(train(task, 9),
               Catch::StartsWith(from == 8 ? "4: training diverged at update 9: the last update was"
                                           : "4: training diverged at update 9: the last 2 updates") &&
                   Catch::Contains("without a finite loss"));
    CHECK(task.crashed == std::vector<int64_t>{9});
  }
}

namespace {

// Whose weights a save finds gone.
class GoneTask final : public LoopTask {
 public:
  void save(const TrainingState& state, SaveKind kind) override {
    if (kind == SaveKind::scheduled && state.update == 6 && left-- > 0)
      fail(ErrorKind::diverged, "the weights w are not finite");
    LoopTask::save(state, kind);
  }
  int left = 1;
};

}  // namespace

TEST_CASE("Training loop: weights that a save finds gone are divergence, and a rollback passes them over",
          "[unit]") {
  GoneTask ended;
  CHECK_THAT(
      train(ended),
      Catch::StartsWith("4: training diverged at update 6: the weights w are not finite; lower learn-rate"));
  CHECK(ended.crashed == std::vector<int64_t>{6});
  GoneTask task;
  CHECK(train(task, 9, {}, {.peak = 1e-3}, OnDivergence::roll_back) == "no error");
  CHECK(task.rolled_back == std::vector<int64_t>{4});
}
