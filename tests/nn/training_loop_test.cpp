#include "nn/training_loop.h"

#include <set>

#include "tests/data/errors.h"
#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

// Writes down what it is asked for; its disk is full at the updates that `full` names.
class Task final : public TrainingTask {
 public:
  std::set<int64_t> full;
  std::vector<int64_t> saved, best;
  std::vector<std::string> warnings;
  std::vector<TrainingState> states;  // saved
  double gain = 1;                    // of the score, by update
  std::vector<double> rates;          // of the updates
  std::vector<LossSums> losses;       // of the updates
  std::vector<EpochLoss> epochs;      // as they ended
  int64_t batches_per_epoch = 0;      // 0: one epoch without end

  PackedBatch next_batch() override { return random_batch({3, 4}, {5, 2}, 13, 17, 1); }
  void locate(TrainingState& state) const override {
    if (batches_per_epoch > 0) state.epoch = state.update / batches_per_epoch;
  }
  std::vector<Score> validate(const TrainingState& state) override {
    return {{"bleu", 100 + gain * static_cast<double>(state.update)}};
  }
  void save(const TrainingState& state, SaveKind) override {
    if (full.contains(state.update)) fail(ErrorKind::resources, "no room");
    saved.push_back(state.update);
    states.push_back(state);
  }
  void mark_best(const TrainingState& state) override { best.push_back(state.best_update); }
  void on_update(const TrainingState&, const UpdateResult& result) override {
    rates.push_back(result.learning_rate);
    losses.push_back(result.loss);
  }
  void on_report(const TrainingState&, const UpdateResult&) override {}
  void on_epoch(const TrainingState& state) override { epochs.push_back(state.epoch_loss); }
  void on_validation(const TrainingState&, const std::vector<Score>&, bool) override {}
  void on_warning(const std::string& text) override { warnings.push_back(text); }
};

// Nine updates, saved every second, validated every third.
std::string train(Task& task, int64_t after = 9, TrainingState state = {},
                  const Schedule& schedule = {.peak = 1e-3}) {
  TinyModel model(DType::f32, tiny_config());
  TrainerOptions trainer_options;
  trainer_options.schedule = schedule;
  Trainer trainer(model.transformer, model.registry, model.arena, trainer_options);
  const LoopOptions options{.after = {{Amount::Unit::updates, static_cast<double>(after)}},
                            .validate_every = {Amount::Unit::updates, 3},
                            .save_every = {Amount::Unit::updates, 2}};
  return error_of([&] { run_training_loop(trainer, task, options, state); });
}

}  // namespace

TEST_CASE("Training loop: saves when it is due, when it is best, and at the end", "[unit]") {
  Task task;
  CHECK(train(task) == "no error");
  CHECK(task.saved == std::vector<int64_t>{2, 3, 4, 6, 8, 9});
  CHECK(task.best == std::vector<int64_t>{3, 6, 9});
  CHECK(task.states.back().saved_at == 9);
}

// A kill comes after a save and before anything else that is kept.
TEST_CASE("Training loop: a run that is killed after any save finds its best again", "[unit]") {
  for (const double gain : {1.0, -1.0}) {
    Task whole;
    whole.gain = gain;
    train(whole);
    for (const TrainingState& saved : whole.states) {
      Task rest;
      rest.gain = gain;
      train(rest, 9, saved);
      INFO("gain " << gain << ", killed at " << saved.update);
      CHECK((rest.best.empty() ? saved.best_update : rest.best.back()) == whole.best.back());
    }
  }
}

TEST_CASE("Training loop: a save that fails is warned about, and what is not saved is not the best",
          "[unit]") {
  Task task;
  task.full = {3, 4};
  CHECK(train(task) == "no error");
  CHECK(task.saved == std::vector<int64_t>{2, 6, 8, 9});
  CHECK(task.best == std::vector<int64_t>{6, 9});
  REQUIRE(task.warnings.size() == 2);
  CHECK(task.warnings[0] == "no room; the earlier checkpoints are whole, the next save tries again");
}

TEST_CASE("Training loop: the third failure in a row and a failure of the last save end the run", "[unit]") {
  Task third;
  third.full = {4, 6};  // at 6 twice: it is due, and it is the best
  CHECK(train(third) == "5: no room");
  CHECK(third.saved == std::vector<int64_t>{2, 3});
  Task last;
  last.full = {8};
  CHECK(train(last, 8) == "5: no room");
  CHECK(last.saved == std::vector<int64_t>{2, 3, 4, 6});
  CHECK(last.warnings.size() == 1);  // at the save that was due, which the end tried again
}

TEST_CASE("Training loop: it is over at a limit and after enough validations without progress", "[unit]") {
  LoopOptions options{.after = {{Amount::Unit::updates, 9}, {Amount::Unit::epochs, 2}}, .early_stopping = 3};
  TrainingState state;
  const auto over_at = [&](int64_t update, int64_t epoch, int64_t stalled) {
    state.update = update;
    state.epoch = epoch;
    state.stalled = stalled;
    return is_over(options, state);
  };
  CHECK_FALSE(over_at(8, 1, 2));
  CHECK(over_at(9, 1, 2));
  CHECK(over_at(8, 2, 0));
  CHECK(over_at(8, 1, 3));
  options.early_stopping = 0;
  CHECK_FALSE(over_at(8, 1, 3));
}

TEST_CASE("Training loop: progress counts the part of an epoch that is done, and the limit that is nearest",
          "[unit]") {
  LoopOptions options{.after = {{Amount::Unit::epochs, 4}}};
  TrainingState state;
  state.update = 30;
  state.epoch = 1;
  state.position = 50;
  CHECK(progress(options, state, 100) == 1.5 / 4);
  CHECK(progress(options, state, 0) == 1.0 / 4);
  options.after.push_back({Amount::Unit::updates, 60});
  CHECK(progress(options, state, 100) == 0.5);
  CHECK_FALSE(progress({}, state, 100).has_value());
}

TEST_CASE("Training loop: a plateau's rates after a resume are those of the run that went through",
          "[unit]") {
  const Schedule schedule{.peak = 1e-3, .decay = Decay::plateau, .plateau = {.factor = 0.5, .patience = 1}};
  Task whole;
  whole.gain = 0;
  REQUIRE(train(whole, 21, {}, schedule) == "no error");
  // Validated at 3, 6, 9 ...: the third and the fifth are the second in a row without gain.
  REQUIRE(whole.rates.size() == 21);
  CHECK(whole.rates[8] == 1e-3);
  CHECK(whole.rates[9] == 0.5e-3);
  CHECK(whole.rates[14] == 0.5e-3);
  CHECK(whole.rates[15] == 0.25e-3);
  for (const TrainingState& saved : whole.states) {
    Task rest;
    rest.gain = 0;
    train(rest, 21, training_state_from(to_state(saved)), schedule);
    INFO("killed at " << saved.update);
    CHECK(rest.rates == std::vector<double>(whole.rates.begin() + saved.update, whole.rates.end()));
  }
}

TEST_CASE("Training loop: an epoch's loss is over its updates, through a resume too", "[unit]") {
  Task whole;
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
    Task rest;
    rest.batches_per_epoch = 3;
    train(rest, 9, training_state_from(to_state(saved)));
    INFO("killed at " << saved.update);
    for (const EpochLoss& epoch : rest.epochs) CHECK(epoch.updates == 3);
  }
}

TEST_CASE("Training loop: a state of before plateaus is read, and begins them", "[unit]") {
  TrainingState state;
  state.update = 7;
  state.plateau.scale = 0.5;
  const State now = to_state(state);
  State earlier;
  for (const auto& [key, value] : now.values()) {
    if (!key.starts_with("plateau_") && !key.starts_with("epoch_")) earlier.set(key, value);
  }
  CHECK(training_state_from(now).plateau.scale == 0.5);
  CHECK(training_state_from(earlier).update == 7);
  CHECK(training_state_from(earlier).plateau.scale == 1);
}
