#include "nn/training_loop.h"

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
  visit("slow_variance", t.slow_variance);
}

}  // namespace

State to_state(const TrainingState& training) {
  State state;
  each_field(training, [&](const char* key, const auto& value) { state.set(key, value); });
  return state;
}

TrainingState training_state_from(const State& state) {
  TrainingState training;
  each_field(training, [&]<typename T>(const char* key, T& value) { value = state.get<T>(key); });
  return training;
}

}  // namespace xf::nn
