#include <cmath>

#include "tests/nn/training_loop_task.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

TEST_CASE("Training loop: a run that is killed after any save finds its best again", "[unit]") {
  for (const double gain : {1.0, -1.0}) {
    LoopTask whole;
    whole.gain = gain;
    train(whole);
    for (const TrainingState& saved : whole.states) {
      LoopTask rest;
      rest.gain = gain;
      train(rest, 9, saved);
      INFO("gain " << gain << ", killed at " << saved.update);
      CHECK((rest.best.empty() ? saved.best_update : rest.best.back()) == whole.best.back());
    }
  }
}

TEST_CASE("Training loop: it is over at a limit and after enough validations without progress", "[unit]") {
  LoopOptions options{.after = {{9, TrainingLength::Unit::updates}, {2, TrainingLength::Unit::epochs}},
                      .early_stopping = 3};
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

TEST_CASE("Training loop: a plateau's rates after a resume are those of the run that went through",
          "[unit]") {
  const Schedule schedule{.peak = 1e-3, .decay = Decay::plateau, .plateau = {.factor = 0.5, .patience = 1}};
  LoopTask whole;
  whole.gain = 0;
  REQUIRE(train(whole, 21, {}, schedule) == "no error");
  // Validated at 3, 6, 9 ...: the third and the fifth are the second in a row without gain.
  REQUIRE(whole.rates.size() == 21);
  CHECK(whole.rates[8] == 1e-3);
  CHECK(whole.rates[9] == 0.5e-3);
  CHECK(whole.rates[14] == 0.5e-3);
  CHECK(whole.rates[15] == 0.25e-3);
  for (const TrainingState& saved : whole.states) {
    LoopTask rest;
    rest.gain = 0;
    train(rest, 21, training_state_from(to_state(saved)), schedule);
    INFO("killed at " << saved.update);
    CHECK(rest.rates == std::vector<double>(whole.rates.begin() + saved.update, whole.rates.end()));
  }
}

TEST_CASE("Training loop: a state of before plateaus is read, and begins them", "[unit]") {
  TrainingState state;
  state.update = 7;
  state.plateau.scale = 0.5;
  const KeyValues now = to_state(state);
  KeyValues earlier;
  for (const auto& [key, value] : now.values()) {
    if (!key.starts_with("plateau_") && !key.starts_with("epoch_")) earlier.set(key, value);
  }
  CHECK(training_state_from(now).plateau.scale == 0.5);
  CHECK(training_state_from(earlier).update == 7);
  CHECK(training_state_from(earlier).plateau.scale == 1);
}

TEST_CASE("Training loop: a smaller keep-best keeps fewer, and saves nothing for that", "[unit]") {
  TrainingState state;
  state.update = 9;
  state.best_metric = "bleu";
  state.best_score = 1000;
  state.best_update = 3;
  state.runners_up = {{6, 900}, {9, 800}};
  LoopTask task;
  CHECK(train(task, 13, {.keep_best = 1}, state) == "no error");
  CHECK(task.saved ==
        std::vector<int64_t>{10, 12, 13});  // when it is due and at the end; not at the validation
                                            // of 12
  CHECK(task.states.back().runners_up.empty());
}

TEST_CASE("Training loop: a score that is none from the beginning stalls", "[unit]") {
  LoopTask task;
  task.gain = std::nan("");
  TrainingState state;
  CHECK(train(task, 90, {.early_stopping = 3}, state) == "no error");
  CHECK(state.update == 9);
}

namespace {

// Scores by hand: validated at 3, 6, 9 and so on.
class ScriptedTask final : public LoopTask {
 public:
  std::vector<std::vector<MetricScore>> script;
  std::vector<std::vector<int64_t>> kept;  // best and runners-up, whenever they change

  std::vector<MetricScore> validate(const TrainingState& state) override {
    return script.at(static_cast<size_t>(state.validations));
  }
  void mark_best(const TrainingState& state) override {
    LoopTask::mark_best(state);
    kept.push_back({state.best_update});
    for (const ScoredSave& save : state.runners_up) kept.back().push_back(save.update);
  }
};

}  // namespace

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

TEST_CASE("Training loop: of equal scores the later save is kept, which is no progress", "[unit]") {
  for (const bool higher : {true, false}) {
    ScriptedTask task;
    for (const double score : {5, 7, 7, 6, 7})
      task.script.push_back({{"m", higher ? score : -score, higher}});
    TrainingState state;
    REQUIRE(train(task, 15, {.keep_best = 2}, state) == "no error");
    CHECK(task.kept == std::vector<std::vector<int64_t>>{{3}, {6, 3}, {9, 6}, {15, 9}});
    CHECK(state.stalled == 3);
    CHECK(state.same_scores == 0);
  }
}

TEST_CASE("Training loop: scores that are all the same are counted, and do not stall before the warm-up ends",
          "[unit]") {
  ScriptedTask whole;
  whole.script.assign(6, {{"bleu", 0}, {"chrf", 0}});
  TrainingState end;
  const Schedule schedule{.peak = 1e-3, .warmup = 9, .decay = Decay::plateau};
  REQUIRE(train(whole, 18, {}, end, schedule) == "no error");
  CHECK(end.best_update == 18);
  CHECK(end.same_scores == 6);
  CHECK(end.stalled == 3);  // of updates 12, 15 and 18
  CHECK(end.other_metrics.front().stalled == 3);
  CHECK(end.plateau.without_gain == 3);
  for (const TrainingState& saved : whole.states) {
    ScriptedTask rest;
    rest.script = whole.script;
    TrainingState state = training_state_from(to_state(saved));
    train(rest, 18, {}, state, schedule);
    INFO("killed at " << saved.update);
    CHECK(state.same_scores == 6);
    CHECK(state.stalled == 3);
  }
  // A worse score has stalled, whenever it comes.
  ScriptedTask worse;
  worse.script = {{{"bleu", 1}}, {{"bleu", 0}}, {{"bleu", 1}}};
  TrainingState state;
  REQUIRE(train(worse, 9, {}, state, schedule) == "no error");
  CHECK(state.stalled == 1);
  CHECK(state.best_update == 9);
  CHECK(state.same_scores == 0);
}

TEST_CASE("Training loop: a cut of the plateau's rate is told, with the rate from there on", "[unit]") {
  LoopTask task;
  task.gain = 0;  // validated every third update: the first is a gain, as the only one
  const Schedule schedule{.peak = 1e-3, .decay = Decay::plateau, .plateau = {.factor = 0.5, .patience = 0}};
  CHECK(train(task, 9, {}, schedule) == "no error");
  CHECK(task.cuts == std::vector<double>{0.5e-3, 0.25e-3});
}
