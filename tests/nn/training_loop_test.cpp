#include "nn/training_loop.h"

#include <functional>
#include <limits>
#include <map>
#include <set>

#include "tests/data/errors.h"
#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

Tensor copy_of(const Tensor& x) {
  const Tensor copy = Tensor::empty(x.shape(), x.dtype());
  copy.copy_from(x);
  return copy;
}

// Writes down what it is asked for; its disk is full at the updates that `full` names.
class Task : public TrainingTask {
 public:
  std::set<int64_t> full;
  std::vector<int64_t> saved, best;
  std::vector<std::string> warnings;
  std::vector<TrainingState> states;         // saved
  double gain = 1;                           // of the score, by update
  std::vector<double> rates;                 // of the updates
  std::vector<LossSums> losses;              // of the updates
  std::vector<EpochLoss> epochs;             // as they ended
  int64_t batches_per_epoch = 0;             // 0: one epoch without end
  std::function<void(int64_t)> fault;        // called before each batch, with how many there were
  std::function<void(int64_t)> on_validate;  // with the update
  int64_t batches = 0;
  std::vector<int64_t> crashed, rolled_back;
  TinyModel* model = nullptr;
  Trainer* trainer = nullptr;
  std::map<int64_t, Tensor> weights;  // saved, by update
  TrainerOptions trainer_options;

  BatchSize skip_batch() override {
    const PackedBatch batch = next_batch();
    return {batch.source_tokens, batch.target_tokens, batch.sentences};
  }
  PackedBatch next_batch() override {
    if (fault) fault(batches);
    ++batches;
    return random_batch({3, 4}, {5, 2}, 13, 17, 1);
  }
  void locate(TrainingState& state) const override {
    if (batches_per_epoch > 0) state.epoch = state.update / batches_per_epoch;
  }
  std::vector<Score> validate(const TrainingState& state) override {
    if (on_validate) on_validate(state.update);
    return {{"bleu", 100 + gain * static_cast<double>(state.update)}};
  }
  void save(const TrainingState& state, SaveKind kind) override {
    if (full.contains(state.update)) fail(ErrorKind::resources, "no room");
    if (kind == SaveKind::crashed) return crashed.push_back(state.update);
    if (kind == SaveKind::scheduled) weights[state.update] = copy_of(model->registry.values());
    saved.push_back(state.update);
    states.push_back(state);
  }
  std::optional<TrainingState> roll_back(int64_t update) override {
    while (!weights.empty() && weights.rbegin()->first > update) weights.erase(std::prev(weights.end()));
    if (weights.empty()) return {};
    const int64_t saved_at = weights.rbegin()->first;
    rolled_back.push_back(saved_at);
    model->registry.values().copy_from(weights.at(saved_at));
    return *std::ranges::find(states, saved_at, &TrainingState::update);
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

using OnDivergence = LoopOptions::OnDivergence;

// Saved every second update, validated every third. Leaves the state at the end.
std::string train(Task& task, int64_t after, LoopOptions options, TrainingState& state,
                  const Schedule& schedule = {.peak = 1e-3}) {
  TinyModel model(DType::f32, tiny_config());
  task.model = &model;
  TrainerOptions trainer_options = task.trainer_options;
  trainer_options.schedule = schedule;
  Trainer trainer(model.transformer, model.registry, model.arena, trainer_options);
  task.trainer = &trainer;
  options.after = {{Amount::Unit::updates, static_cast<double>(after)}};
  options.validate_every = {Amount::Unit::updates, 3};
  options.save_every = {Amount::Unit::updates, 2};
  return error_of([&] { run_training_loop(trainer, task, options, state); });
}

std::string train(Task& task, int64_t after = 9, TrainingState state = {},
                  const Schedule& schedule = {.peak = 1e-3}, OnDivergence policy = OnDivergence::warn) {
  return train(task, after, {.on_divergence = policy}, state, schedule);
}

}  // namespace

TEST_CASE("Training loop: from an epoch on the rate is a part of the schedule's", "[unit]") {
  Task task;
  task.batches_per_epoch = 3;
  TrainingState state;
  CHECK(train(task, 12, {.slowdown = {.epoch = 2, .factor = 0.25}}, state) == "no error");
  for (size_t u = 0; u < 12; ++u) CHECK(task.rates[u] == (u < 6 ? 1e-3 : 0.25e-3));
}

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
  third.full = {4, 6, 8};
  CHECK(train(third) == "5: no room");
  CHECK(third.saved == std::vector<int64_t>{2, 3});
  CHECK(third.warnings.size() == 2);  // at 6 once, though it is due and the best
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

TEST_CASE("Training loop: a weight that turns NaN ends the run with its name, and is saved to look at",
          "[unit]") {
  Task task;
  const std::string name = "encoder.layers.1.self_attention.out.weight";
  task.fault = [&](int64_t batch) {
    if (batch == 4) task.model->registry.find(name).master.data<float>()[0] = std::nanf("");
  };
  const std::string error = train(task, 90);
  CHECK(error ==
        "4: training diverged at update 25: 21 updates in a row without a finite gradient; not finite: the "
        "weights " +
            name + "; lower learn-rate, set clip-norm 1, or let --rollback do it");
  CHECK(task.crashed == std::vector<int64_t>{25});
  REQUIRE(task.warnings.size() == 21);
  CHECK(task.warnings.front() == "update 5: the gradient is not finite; skipped, 1 in a row");
  CHECK(task.best == std::vector<int64_t>{3, 6, 9, 12, 15, 18, 21, 24});
}

TEST_CASE("Training loop: twenty bad gradients in a row are skipped, and training goes on", "[unit]") {
  Task task;
  Tensor good;
  task.fault = [&](int64_t batch) {
    float& weight = task.model->registry.find("output.bias").master.data<float>()[0];
    if (batch == 4) good = copy_of(task.model->registry.values());
    if (batch == 4) weight = std::nanf("");
    if (batch != 24) return;
    weight = good.data<float>()[task.model->registry.find("output.bias").master.data<float>() -
                                task.model->registry.values().data<float>()];
    CHECK(same_bits(task.model->registry.values(), good));  // of twenty updates none changed a weight
  };
  CHECK(train(task, 40) == "no error");
  CHECK(task.crashed.empty());
  CHECK(task.states.back().skipped == 20);
  CHECK(task.states.back().skipped_in_row == 0);
}

namespace {

// A hundred times the learning rate from update 300 on, as a weight decay of that strength would act: the weights are
// thrown far off, once.
void throw_off(Task& task, int64_t batch) {
  if (batch != 300) return;
  float* const values = task.model->registry.values().data<float>();
  PhiloxSequence random(5, 5);
  for (int64_t i = 0; i < task.model->registry.values().numel(); ++i)
    values[i] += static_cast<float>(random.below(1000)) / 100 - 5;
}

}  // namespace

TEST_CASE("Training loop: a loss that runs away is warned about", "[unit]") {
  Task task;
  task.fault = [&](int64_t batch) { throw_off(task, batch); };
  CHECK(train(task, 320) == "no error");
  REQUIRE(task.warnings.size() == 1);
  CHECK_THAT(task.warnings.front(), Catch::Contains("the loss runs away: "));
  Task calm;
  train(calm, 320);
  CHECK(calm.warnings.empty());
}

TEST_CASE("Training loop: R-Drop that begins late adds to the loss, which does not run away for that",
          "[unit]") {
  Task task;
  task.trainer_options.r_drop = 2000;
  task.trainer_options.r_drop_after = 300;
  CHECK(train(task, 320) == "no error");
  CHECK(task.losses[300].smoothed > 3 * task.losses[299].smoothed);
  CHECK(task.warnings.empty());
}

TEST_CASE("Training loop: a loss that runs away ends a run that was told to stop", "[unit]") {
  Task task;
  task.fault = [&](int64_t batch) { throw_off(task, batch); };
  CHECK_THAT(train(task, 320, {}, {.peak = 1e-3}, OnDivergence::stop),
             Catch::StartsWith("4: training diverged at update 30") && Catch::Contains("the loss runs away"));
  CHECK(task.crashed.size() == 1);
}

TEST_CASE("Training loop: a rollback goes on from before the loss ran away, with half the rate", "[unit]") {
  Task task;
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
  Task again;
  again.fault = [&](int64_t batch) {
    if (batch >= 9) again.model->registry.find("output.bias").value.data<float>()[0] = std::nanf("");
  };
  CHECK_THAT(train(again, 40, {}, {.peak = 1e-3}, OnDivergence::roll_back),
             Catch::StartsWith("4: training diverged") && Catch::Contains("after 5 rollbacks"));
  CHECK(again.rolled_back == std::vector<int64_t>{9, 8, 6, 4, 3});  // none is any good
  Task unsaved;
  unsaved.fault = [&](int64_t) {
    unsaved.model->registry.find("output.bias").value.data<float>()[0] = std::nanf("");
    unsaved.weights.clear();
  };
  CHECK_THAT(train(unsaved, 40, {}, {.peak = 1e-3}, OnDivergence::roll_back),
             Catch::Contains("no save of before that is left"));
}

TEST_CASE(
    "Training loop: a validation that finds the weights gone is divergence, and a rollback passes the save "
    "over",
    "[unit]") {
  const auto gone_twice = [](Task& task) {
    return [&task, left = 2](int64_t update) mutable {
      if (update == 6 && left-- > 0) fail(ErrorKind::diverged, "search: not finite");
    };
  };
  Task task;
  task.on_validate = gone_twice(task);
  CHECK(train(task, 9, {}, {.peak = 1e-3}, OnDivergence::roll_back) == "no error");
  CHECK(task.rolled_back == std::vector<int64_t>{6, 4});
  CHECK(task.saved.back() == 9);
  REQUIRE(task.warnings.size() == 2);
  CHECK_THAT(task.warnings.front(),
             Catch::StartsWith("training diverged at update 6: search: not finite; back to"));
  Task last;  // where nothing is due any more
  last.on_validate = gone_twice(last);
  CHECK(train(last, 6, {}, {.peak = 1e-3}, OnDivergence::roll_back) == "no error");
  CHECK(last.rolled_back == std::vector<int64_t>{6, 4});
  Task given_up;
  given_up.on_validate = gone_twice(given_up);
  CHECK_THAT(train(given_up),
             Catch::StartsWith("4: training diverged at update 6: search: not finite; lower learn-rate"));
  CHECK(given_up.crashed == std::vector<int64_t>{6});
}

TEST_CASE("Training loop: a rollback that cannot be saved is warned about, and goes on", "[unit]") {
  Task task;
  task.fault = [&](int64_t batch) {
    throw_off(task, batch);
    if (batch == 300) task.full = {300};
    if (batch == 318) task.full.clear();
  };
  CHECK(train(task, 320, {}, {.peak = 1e-3}, OnDivergence::roll_back) == "no error");
  CHECK(task.rolled_back == std::vector<int64_t>{300});
  REQUIRE(task.warnings.size() == 2);
  CHECK(task.warnings.back() == "no room; not saved, the earlier checkpoints are whole");
}

TEST_CASE(
    "Training loop: where the loss of before does not count, the next one is what others are held against",
    "[unit]") {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  TrainingState state;
  state.update = state.on_course = 5000;
  state.fast_loss = state.slow_loss = kUnknown;
  state.loss_variance = 1e-4;
  Task task;
  CHECK(train(task, 5003, training_state_from(to_state(state))) == "no error");
  CHECK(task.warnings.empty());
  const double first = task.losses.front().plain / static_cast<double>(task.losses.front().tokens);
  CHECK(task.states.back().slow_loss == Approx(first).epsilon(1e-3));
  Task thrown;
  thrown.fault = [&](int64_t batch) { throw_off(thrown, 300 + batch - 1); };  // before the second update
  CHECK(train(thrown, 5005, state) == "no error");
  REQUIRE_FALSE(thrown.warnings.empty());
  CHECK_THAT(thrown.warnings.front(), Catch::StartsWith("update 5002: the loss runs away: "));
}

TEST_CASE("Training loop: a smaller keep-best keeps fewer, and saves nothing for that", "[unit]") {
  TrainingState state;
  state.update = 9;
  state.best_metric = "bleu";
  state.best_score = 1000;
  state.best_update = 3;
  state.runners_up = {{6, 900}, {9, 800}};
  Task task;
  CHECK(train(task, 13, {.keep_best = 1}, state) == "no error");
  CHECK(task.saved ==
        std::vector<int64_t>{10, 12, 13});  // when it is due and at the end; not at the validation of 12
  CHECK(task.states.back().runners_up.empty());
}

TEST_CASE("Training loop: a score that is none from the beginning stalls", "[unit]") {
  Task task;
  task.gain = std::nan("");
  TrainingState state;
  CHECK(train(task, 90, {.early_stopping = 3}, state) == "no error");
  CHECK(state.update == 9);
}

// As on a device: at the end updates are under way whose losses nobody has looked at.
class LateTask final : public Task {
 public:
  int64_t late_at = 7;
  void on_update(const TrainingState& state, const UpdateResult& result) override {
    Task::on_update(state, result);
    if (state.update != late_at) return;
    late_at = 0;
    model->registry.find("output.bias").value.data<float>()[0] = std::nanf("");
    for (int64_t u = 1; u <= 21; ++u) trainer->start(state.update + u, [&] { return next_batch(); });
  }
};

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

TEST_CASE("Training loop: a lack of memory is told, with what is done about it", "[unit]") {
  Task task;
  task.fault = [&](int64_t batch) {
    if (batch == 1) task.model->arena.set_limit(task.model->arena.peak_bytes() - 1);
  };
  CHECK(train(task) == "no error");
  REQUIRE(task.warnings.size() == 1);
  CHECK_THAT(task.warnings.front(), Catch::StartsWith("update 2: out of memory; from here on"));
}

// Scores by hand: validated at 3, 6, 9 and so on.
class ScriptedTask final : public Task {
 public:
  std::vector<std::vector<Score>> script;
  std::vector<std::vector<int64_t>> kept;  // best and runners-up, whenever they change

  std::vector<Score> validate(const TrainingState& state) override {
    return script.at(static_cast<size_t>(state.validations));
  }
  void mark_best(const TrainingState& state) override {
    Task::mark_best(state);
    kept.push_back({state.best_update});
    for (const ScoredSave& save : state.runners_up) kept.back().push_back(save.update);
  }
};

TEST_CASE("Training loop: early stopping looks at the first metric, at any, or at all", "[unit]") {
  const auto validations_until_the_end = [](LoopOptions::StoppingMetric which) {
    ScriptedTask task;
    // bleu stalls from the third on, the loss from the fourth, chrf never.
    task.script = {
        {{"bleu", 1}, {"ce", 9, false}, {"chrf", 1}}, {{"bleu", 2}, {"ce", 8, false}, {"chrf", 2}},
        {{"bleu", 2}, {"ce", 7, false}, {"chrf", 3}}, {{"bleu", 1}, {"ce", 7, false}, {"chrf", 4}},
        {{"bleu", 2}, {"ce", 8, false}, {"chrf", 5}}, {{"bleu", 2}, {"ce", 9, false}, {"chrf", 5}},
        {{"bleu", 2}, {"ce", 9, false}, {"chrf", 5}}, {{"bleu", 2}, {"ce", 9, false}, {"chrf", 6}}};
    TrainingState state;
    REQUIRE(train(task, 24, {.early_stopping = 2, .early_stopping_on = which}, state) == "no error");
    return state.validations;
  };
  using Metric = LoopOptions::StoppingMetric;
  CHECK(validations_until_the_end(Metric::first) == 4);
  CHECK(validations_until_the_end(Metric::any) == 4);
  CHECK(validations_until_the_end(Metric::all) == 7);
}

TEST_CASE("Training loop: any metric that stalls ends training, though the first one gains", "[unit]") {
  ScriptedTask task;
  for (int i = 1; i < 9; ++i) task.script.push_back({{"bleu", double(i)}, {"ce", 1, false}});
  TrainingState state;
  CHECK(train(task, 24, {.early_stopping = 2, .early_stopping_on = LoopOptions::StoppingMetric::any},
              state) == "no error");
  CHECK(state.validations == 3);
}

TEST_CASE("Training loop: the best saves and their runners-up, through every resume", "[unit]") {
  ScriptedTask whole;
  for (const double score : {5, 3, 7, 4, 6, 1}) whole.script.push_back({{"bleu", score}});
  TrainingState end;
  REQUIRE(train(whole, 18, {.keep_best = 3}, end) == "no error");
  CHECK(whole.kept == std::vector<std::vector<int64_t>>{{3}, {3, 6}, {9, 3, 6}, {9, 3, 12}, {9, 15, 3}});
  for (const TrainingState& saved : whole.states) {
    ScriptedTask rest;
    rest.script = whole.script;
    TrainingState state = training_state_from(to_state(saved));
    train(rest, 18, {.keep_best = 3}, state);
    INFO("killed at " << saved.update);
    CHECK(to_state(state).get<std::vector<int64_t>>("runner_up_updates") == std::vector<int64_t>{15, 3});
    CHECK(state.best_update == 9);
  }
}

TEST_CASE("Training loop: a run that goes on with another first metric finds its best anew", "[unit]") {
  ScriptedTask task;
  task.script = {{{"bleu", 30}}, {{"bleu", 29}}, {{"ce", 4, false}}, {{"ce", 5, false}}};
  TrainingState state;
  REQUIRE(train(task, 12, {.keep_best = 2}, state) == "no error");
  CHECK(state.best_metric == "ce");
  CHECK(state.best_score == 4);
  CHECK(task.kept == std::vector<std::vector<int64_t>>{{3}, {3, 6}, {9}, {9, 12}});
}

TEST_CASE("Training loop: a plateau of another metric begins anew, and keeps its cuts", "[unit]") {
  ScriptedTask task;
  task.script = {{{"bleu", 30}}, {{"bleu", 29}}, {{"bleu", 29}}, {{"chrf", 20}},
                 {{"chrf", 21}}, {{"chrf", 21}}, {{"chrf", 21}}};
  TrainingState state;
  REQUIRE(train(task, 21, {}, state,
                {.peak = 1e-3, .decay = Decay::plateau, .plateau = {.factor = 0.5, .patience = 1}}) ==
          "no error");
  CHECK(state.plateau.best == 21);
  CHECK(state.plateau.validations == 4);
  CHECK(task.rates[9] == 0.5e-3);   // behind the second in a row of bleu
  CHECK(task.rates[20] == 0.5e-3);  // the second in a row of chrf is the last validation
  CHECK(state.plateau.scale == 0.25);
}

TEST_CASE("Training loop: a score of NaN is never the best, and none is worse", "[unit]") {
  const double none = std::nan("");
  ScriptedTask task;
  task.script = {{{"bleu", none}, {"ce", none, false}},
                 {{"bleu", 1}, {"ce", 9, false}},
                 {{"bleu", none}, {"ce", none, false}},
                 {{"bleu", 2}, {"ce", 8, false}},
                 {{"bleu", none}, {"ce", none, false}}};
  TrainingState state;
  REQUIRE(train(task, 15, {.keep_best = 3}, state) == "no error");
  CHECK(task.kept == std::vector<std::vector<int64_t>>{{6}, {12, 6}});
  CHECK(state.stalled == 1);
  REQUIRE(state.other_metrics.size() == 1);
  CHECK(state.other_metrics[0].best == 8);
  CHECK(state.other_metrics[0].stalled == 1);
}

TEST_CASE("Training loop: an optimiser that begins behind an update corrects its moments from there",
          "[unit]") {
  // Adam's first update moves each weight by the learning rate, whatever the gradient.
  const auto moved = [](int64_t began) {
    TinyModel model(DType::f32, tiny_config());
    TrainerOptions options;
    options.schedule = {.peak = 1e-3};
    Trainer trainer(model.transformer, model.registry, model.arena, options);
    trainer.begin_optimizer_behind(began);
    const std::vector<float> before = copy_of(model.registry.values()).to_vector<float>();
    trainer.update(101, [] { return random_batch({3, 4}, {5, 2}, 13, 17, 1); });
    const std::vector<float> after = model.registry.values().to_vector<float>();
    double most = 0;
    for (size_t i = 0; i < after.size(); ++i) most = std::max(most, std::abs(double{after[i]} - before[i]));
    return most;
  };
  CHECK(moved(100) == Approx(1e-3).epsilon(0.01));
  CHECK(moved(0) < 0.75e-3);
}
