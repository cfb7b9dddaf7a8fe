#include "nn/train/training_loop.h"

namespace xf::nn {

namespace {

// One list for both directions.
template <typename Training, typename Visit>
void each_field(Training& t, const Visit& visit) {
  visit("update", t.update);
  visit("epoch", t.epoch);
  visit("position", t.position);
  visit("target_tokens", t.target_tokens);
  visit("previous_epoch", t.previous_epoch);
  visit("previous_tokens", t.previous_tokens);
  visit("seconds", t.seconds);
  visit("saved_at", t.saved_at);
  visit("validated_at", t.validated_at);
  visit("validations", t.validations);
  visit("stalled", t.stalled);
  visit("best_metric", t.best_metric);
  visit("best_score", t.best_score);
  visit("best_update", t.best_update);
  visit("skipped", t.skipped);
  visit("skipped_in_row", t.skipped_in_row);
  visit("window_smoothed", t.window.smoothed);
  visit("window_plain", t.window.plain);
  visit("window_tokens", t.window.tokens);
  visit("window_seconds", t.window_seconds);
  visit("fast_loss", t.fast_loss);
  visit("slow_loss", t.slow_loss);
  visit("slow_variance", t.loss_variance);
}

// Fields that earlier versions did not save: they begin at their defaults.
template <typename Training, typename Visit>
void each_later_field(Training& t, const Visit& visit) {
  visit("plateau_validations", t.plateau.validations);
  visit("plateau_without_gain", t.plateau.without_gain);
  visit("plateau_best", t.plateau.best);
  visit("plateau_scale", t.plateau.scale);
  visit("epoch_smoothed", t.epoch_loss.sums.smoothed);
  visit("epoch_plain", t.epoch_loss.sums.plain);
  visit("epoch_tokens", t.epoch_loss.sums.tokens);
  visit("epoch_update_means", t.epoch_loss.update_means);
  visit("epoch_updates", t.epoch_loss.updates);
  visit("epoch_began", t.epoch_loss.began);
  visit("on_course", t.last_stable_update);
  visit("rollbacks", t.rollbacks);
  visit("rate_scale", t.rate_scale);
  visit("optimizer_began", t.optimizer_began);
  visit("same_scores", t.same_scores);
  visit("first_loss", t.first_loss);
}

// A list of records as a list for each field.
template <typename Record, typename T>
std::vector<T> column(const std::vector<Record>& records, T Record::*field) {
  std::vector<T> values;
  for (const Record& record : records) values.push_back(record.*field);
  return values;
}

template <typename Record, typename T>
void take_column(std::vector<Record>& records, T Record::*field, const KeyValues& state, const char* key) {
  if (!state.has(key)) return;
  const auto values = state.get<std::vector<T>>(key);
  records.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) records[i].*field = values[i];
}

// visit(key, list, field)
template <typename Training, typename Visit>
void each_column(Training& t, const Visit& visit) {
  visit("runner_up_updates", t.runners_up, &ScoredSave::update);
  visit("runner_up_scores", t.runners_up, &ScoredSave::score);
  visit("other_metrics", t.other_metrics, &MetricProgress::metric);
  visit("other_best_scores", t.other_metrics, &MetricProgress::best);
  visit("other_stalled", t.other_metrics, &MetricProgress::stalled);
}

}  // namespace

KeyValues to_state(const TrainingState& training) {
  KeyValues state;
  const auto set = [&](const char* key, const auto& value) { state.set(key, value); };
  each_field(training, set);
  each_later_field(training, set);
  each_column(training,
              [&](const char* key, const auto& list, auto field) { state.set(key, column(list, field)); });
  return state;
}

TrainingState training_state_from(const KeyValues& state) {
  TrainingState training;
  each_field(training, [&]<typename T>(const char* key, T& value) { value = state.get<T>(key); });
  each_later_field(training, [&]<typename T>(const char* key, T& value) {
    if (state.has(key)) value = state.get<T>(key);
  });
  each_column(training,
              [&](const char* key, auto& list, auto field) { take_column(list, field, state, key); });
  return training;
}

}  // namespace xf::nn
