#include "tools/report/run_progress.h"

#include <algorithm>
#include <cmath>

#include "nn/train/interval.h"

namespace xf::tools {

namespace {

constexpr int64_t kUpdatesToTell = 10;  // after the first report, whose updates have filled caches
                                        // and memory

}  // namespace

std::optional<double> RunProgress::done(const nn::TrainingState& state) const {
  const std::optional<double> share = nn::progress(loop_, state, length_.sentences);
  const int64_t last = last_update(state);
  if (!share || last == 0) return share;
  const double before =
      std::min(1.0, static_cast<double>(length_.method.begins_after) / static_cast<double>(last));
  const auto again = static_cast<double>(length_.method.readings() - 1);
  return (*share + again * std::max(0.0, *share - before)) / (1 + again - again * before);
}

int64_t RunProgress::last_update(const nn::TrainingState& state) const {
  int64_t last = 0;
  for (const nn::TrainingLength& limit : loop_.after) {
    int64_t updates = 0;
    if (limit.unit == nn::TrainingLength::Unit::updates) updates = std::llround(limit.value);
    if (limit.unit == nn::TrainingLength::Unit::epochs)
      updates = state.update + updates_left(limit.value, state);
    if (updates == 0) continue;
    last = last == 0 ? updates : std::min(last, updates);
  }
  return last;
}

int64_t RunProgress::updates_left(double epochs, const nn::TrainingState& state) const {
  double left = epochs - static_cast<double>(state.epoch);
  if (length_.sentences > 0)
    left -= static_cast<double>(state.position) / static_cast<double>(length_.sentences);
  if (left <= 0) return 0;
  return std::max<int64_t>(1, std::llround(left * length_.updates_per_epoch));
}

Progress RunProgress::at(const nn::TrainingState& state, const nn::UpdateResult& result) const {
  Progress progress;
  progress.epoch = epoch_of(state);
  progress.update = state.update;
  progress.last_update = last_update(state);
  const nn::LossSums& window = state.window.tokens > 0 ? state.window : result.loss;
  const auto tokens = static_cast<double>(std::max<int64_t>(window.tokens, 1));
  progress.loss = window.smoothed / tokens;
  progress.plain_loss = window.plain / tokens;
  progress.learn_rate = result.learning_rate;
  progress.gradient_norm = result.gradient_norm;
  progress.tokens_per_second = state.window_seconds > 0 ? tokens / state.window_seconds : 0;
  progress.seconds = state.seconds;
  const auto share = done(state);
  if (share && *share > 0) progress.seconds_left = state.seconds * (1 - *share) / *share;
  return progress;
}

std::optional<double> RunProgress::prediction(const nn::TrainingState& state) {
  const auto share = done(state);
  if (predicted_ || !share) return std::nullopt;
  const Moment now{state.update, state.seconds, *share};
  if (!first_) first_ = now;
  if (now.update - first_->update < kUpdatesToTell || now.done <= first_->done) return std::nullopt;
  predicted_ = true;
  return (now.seconds - first_->seconds) / (now.done - first_->done) * (1 - now.done);
}

}  // namespace xf::tools
