// A task for the training loop that writes down what it is asked for, and a tiny model that trains
// on it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "nn/train/training_loop.h"
#include "tests/data/errors.h"
#include "tests/nn/tiny_model.h"

namespace xf::tests {

inline Tensor copy_of(const Tensor& x) {
  const Tensor copy = Tensor::empty(x.shape(), x.dtype());
  copy.copy_from(x);
  return copy;
}

// Its disk is full at the updates that `full` names.
class LoopTask : public nn::TrainingTask {
 public:
  std::set<int64_t> full;
  std::vector<int64_t> saved, best;
  std::vector<std::string> warnings;
  std::vector<nn::TrainingState> states;     // saved
  double gain = 1;                           // of the score, by update
  std::vector<double> rates;                 // of the updates
  std::vector<double> cuts;                  // what the rate was cut to
  std::vector<nn::LossSums> losses;          // of the updates
  std::vector<nn::EpochLoss> epochs;         // as they ended
  int64_t batches_per_epoch = 0;             // 0: one epoch without end
  std::function<void(int64_t)> fault;        // called before each batch, with how many there were
  std::function<void(int64_t)> on_validate;  // with the update
  int64_t batches = 0;
  std::vector<int64_t> crashed, rolled_back;
  TinyModel* model = nullptr;
  nn::Trainer* trainer = nullptr;
  std::map<int64_t, Tensor> weights;  // saved, by update
  nn::TrainerOptions trainer_options;

  BatchSize skip_batch() override {
    const PackedBatch batch = next_batch();
    return {batch.source_tokens, batch.target_tokens, batch.sentences};
  }
  PackedBatch next_batch() override {
    if (fault) fault(batches);
    ++batches;
    return random_batch({3, 4}, {5, 2}, 13, 17, 1);
  }
  void locate(nn::TrainingState& state) const override {
    if (batches_per_epoch > 0) state.epoch = state.update / batches_per_epoch;
  }
  std::vector<nn::MetricScore> validate(const nn::TrainingState& state) override {
    if (on_validate) on_validate(state.update);
    return {{"bleu", 100 + gain * static_cast<double>(state.update)}};
  }
  void save(const nn::TrainingState& state, nn::SaveKind kind) override {
    if (full.contains(state.update)) fail(ErrorKind::resources, "no room");
    if (kind == nn::SaveKind::crashed) return crashed.push_back(state.update);
    if (kind == nn::SaveKind::scheduled) weights[state.update] = copy_of(model->store.values());
    saved.push_back(state.update);
    states.push_back(state);
  }
  std::optional<nn::TrainingState> roll_back(int64_t update) override {
    while (!weights.empty() && weights.rbegin()->first > update) weights.erase(std::prev(weights.end()));
    if (weights.empty()) return {};
    const int64_t saved_at = weights.rbegin()->first;
    rolled_back.push_back(saved_at);
    model->store.values().copy_from(weights.at(saved_at));
    return *std::ranges::find(states, saved_at, &nn::TrainingState::update);
  }
  void mark_best(const nn::TrainingState& state) override { best.push_back(state.best_update); }
  void on_update(const nn::TrainingState&, const nn::UpdateResult& result) override {
    rates.push_back(result.learning_rate);
    losses.push_back(result.loss);
  }
  void on_report(const nn::TrainingState&, const nn::UpdateResult&) override {}
  void on_epoch(const nn::TrainingState& state) override { epochs.push_back(state.epoch_loss); }
  void on_validation(const nn::TrainingState&, const std::vector<nn::MetricScore>&, bool) override {}
  void on_rate_cut(const nn::TrainingState&, double rate) override { cuts.push_back(rate); }
  void on_warning(const std::string& text) override { warnings.push_back(text); }
};

using OnDivergence = nn::LoopOptions::OnDivergence;

// Saved every second update, validated every third. Leaves the state at the end.
inline std::string train(LoopTask& task, int64_t after, nn::LoopOptions options, nn::TrainingState& state,
                         const nn::Schedule& schedule = {.peak = 1e-3}) {
  TinyModel model(DType::f32, tiny_config());
  task.model = &model;
  nn::TrainerOptions trainer_options = task.trainer_options;
  trainer_options.schedule = schedule;
  nn::Trainer trainer(model.transformer, model.store, model.arena, trainer_options);
  task.trainer = &trainer;
  options.after = {{static_cast<double>(after), nn::TrainingLength::Unit::updates}};
  options.validate_every = {3, nn::TrainingLength::Unit::updates};
  options.save_every = {2, nn::TrainingLength::Unit::updates};
  return error_of([&] { nn::run_training_loop(trainer, task, options, state); });
}

inline std::string train(LoopTask& task, int64_t after = 9, nn::TrainingState state = {},
                         const nn::Schedule& schedule = {.peak = 1e-3},
                         OnDivergence policy = OnDivergence::warn) {
  return train(task, after, {.on_divergence = policy}, state, schedule);
}

}  // namespace xf::tests
