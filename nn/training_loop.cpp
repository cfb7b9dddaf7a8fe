#include "nn/training_loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/stop.h"

namespace xf::nn {

namespace {

constexpr int64_t kMostSkippedInRow = 20;
constexpr int kMostFailedSaves = 3;  // in a row

double count_of(const TrainingState& state, Amount::Unit unit) {
  switch (unit) {
    case Amount::Unit::updates: return static_cast<double>(state.update);
    case Amount::Unit::epochs: return static_cast<double>(state.epoch);
    case Amount::Unit::target_tokens: return static_cast<double>(state.target_tokens);
    case Amount::Unit::seconds: return state.seconds;
  }
  return 0;
}

// Whether something that happens every so often falls on the update just done.
bool due(const Amount& every, const TrainingState& state) {
  if (every.count <= 0 || state.update == 0) return false;
  const auto crossed = [&](double before, double now) {
    return std::floor(now / every.count) > std::floor(before / every.count);
  };
  switch (every.unit) {
    case Amount::Unit::updates:
      return crossed(static_cast<double>(state.update - 1), static_cast<double>(state.update));
    case Amount::Unit::epochs:
      return crossed(static_cast<double>(state.previous_epoch), static_cast<double>(state.epoch));
    case Amount::Unit::target_tokens:
      return crossed(static_cast<double>(state.previous_tokens), static_cast<double>(state.target_tokens));
    case Amount::Unit::seconds: return false;  // options refuse it: clocks do not repeat
  }
  return false;
}

bool reached(const LoopOptions& options, const TrainingState& state) {
  return std::any_of(options.after.begin(), options.after.end(),
                     [&](const Amount& limit) { return count_of(state, limit.unit) >= limit.count; });
}

bool stalled_out(const LoopOptions& options, const TrainingState& state) {
  return options.early_stopping > 0 && state.stalled >= options.early_stopping;
}

class Loop {
 public:
  Loop(Trainer& trainer, TrainingTask& task, const LoopOptions& options, TrainingState& state)
      : trainer_(trainer),
        task_(task),
        options_(options),
        state_(state),
        clock_(std::chrono::steady_clock::now()) {}

  Ending run() {
    try {
      for (;;) {
        save_if_due();
        validate_if_due();
        if (reached(options_, state_)) return finish(Ending::reached_end);
        if (stalled_out(options_, state_)) return finish(Ending::stopped_early);
        check_stop();
        if (take_save_request()) {
          collect();
          task_.save(state_, SaveKind::interrupted);
        }
        update();
      }
    } catch (const Stopped&) {
      collect();
      tick();
      task_.save(state_, SaveKind::interrupted);
      throw;
    }
  }

 private:
  void tick() {
    const auto now = std::chrono::steady_clock::now();
    state_.seconds += std::chrono::duration<double>(now - clock_).count();
    clock_ = now;
  }

  void save_if_due() {
    if (state_.saved_at == state_.update || !due(options_.save_every, state_)) return;
    save_or_warn();
  }

  void save() {
    collect();
    tick();
    const int64_t before = std::exchange(state_.saved_at, state_.update);
    try {
      task_.save(state_, SaveKind::scheduled);
    } catch (...) {
      state_.saved_at = before;
      throw;
    }
    failed_saves_ = 0;
  }

  // Whether it is saved.
  bool save_or_warn() {
    try {
      save();
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::resources || ++failed_saves_ >= kMostFailedSaves) throw;
      task_.on_warning(
          fmt::format("{}; the earlier checkpoints are whole, the next save tries again", error.what()));
      return false;
    }
  }

  void validate_if_due() {
    if (state_.validated_at == state_.update || !due(options_.validate_every, state_)) return;
    validate();
  }

  void validate() {
    collect();
    const std::vector<Score> scores = task_.validate(state_);
    tick();
    bool best = false;
    if (!scores.empty()) {
      const double gain =
          (scores.front().value - state_.best_score) * (scores.front().higher_is_better ? 1 : -1);
      best = state_.best_update == 0 || gain > options_.early_stopping_epsilon;
    }
    const bool gained = best;
    // Saved as it stood before the validation, so that a run that is killed now validates again and finds its
    // best again. What cannot be saved is not the best: `best` means the one on the disk.
    if (best && state_.saved_at != state_.update) best = save_or_warn();
    state_.validated_at = state_.update;
    ++state_.validations;
    if (scores.empty()) return;
    state_.plateau = trainer_.schedule().validated(state_.plateau, state_.previous_epoch,
                                                   scores.front().value, scores.front().higher_is_better);
    state_.stalled = gained ? 0 : state_.stalled + 1;
    if (best) {
      state_.best_metric = scores.front().metric;
      state_.best_score = scores.front().value;
      state_.best_update = state_.update;
      task_.mark_best(state_);
    }
    task_.on_validation(state_, scores, best);
  }

  // The last update is saved and validated, whatever the frequencies say.
  Ending finish(Ending ending) {
    if (state_.saved_at != state_.update) save();
    if (state_.validated_at != state_.update) validate();
    return ending;
  }

  void update() {
    tick();
    if (state_.epoch != state_.previous_epoch) state_.epoch_loss = {.sums = {}, .began = state_.seconds};
    const double seconds_before = state_.seconds;
    const int64_t epoch_before = state_.epoch, tokens_before = state_.target_tokens;
    trainer_.start(
        state_.update + 1, [&] { return last_batch_ = task_.next_batch(); }, state_.plateau);
    ++state_.update;
    state_.previous_epoch = epoch_before;
    state_.previous_tokens = tokens_before;
    task_.locate(state_);
    state_.target_tokens += trainer_.started().back().loss.tokens;
    const bool report = state_.update <= options_.report_first || due(options_.report_every, state_);
    const bool epoch_ended = state_.epoch != state_.previous_epoch;
    const bool full = trainer_.started().size() == Trainer::kMostStarted;
    if (report || epoch_ended || full || !trainer_.runs_ahead()) collect();
    tick();
    state_.window_seconds += state_.seconds - seconds_before;
    task_.on_update(state_, latest_);
    if (report) {
      task_.on_report(state_, latest_);
      state_.window = {};
      state_.window_seconds = 0;
    }
    if (epoch_ended) task_.on_epoch(state_);
  }

  // Waits for the updates that were started. Their losses are looked at in their order, on any device.
  void collect() {
    for (const UpdateResult& result : trainer_.finished()) {
      latest_ = result;
      if (!std::isfinite(result.gradient_norm) || !std::isfinite(result.loss.smoothed)) {
        skip(result.update);
      } else {
        state_.skipped_in_row = 0;
        learn(result);
      }
    }
  }

  void skip(int64_t update) {
    ++state_.skipped;
    ++state_.skipped_in_row;
    task_.on_warning(fmt::format("update {}: the gradient is not finite; skipped, {} in a row", update,
                                 state_.skipped_in_row));
    if (state_.skipped_in_row <= kMostSkippedInRow) return;
    const auto culprit = trainer_.first_bad_gradient(state_.update + 1, last_batch_);
    fail(ErrorKind::diverged,
         "training diverged at update {}: {} updates in a row without a finite gradient{}; "
         "lower learn-rate or set clip-norm 1",
         update, state_.skipped_in_row, culprit ? ", first in " + *culprit : "");
  }

  // Divergence: the fast mean of the loss (10 updates) over the slow one (1000) by 5 standard deviations.
  void learn(const UpdateResult& result) {
    state_.window += result.loss;
    const auto tokens = static_cast<double>(std::max<int64_t>(result.loss.tokens, 1));
    const double loss = result.loss.smoothed / tokens;
    state_.epoch_loss.sums += result.loss;
    state_.epoch_loss.update_means += result.loss.plain / tokens;
    ++state_.epoch_loss.updates;
    if (result.update == 1) state_.fast_loss = state_.slow_loss = loss;
    const double away = loss - state_.slow_loss;
    state_.fast_loss += (loss - state_.fast_loss) / 10;
    state_.slow_loss += away / 1000;
    state_.slow_variance += (away * away - state_.slow_variance) / 1000;
    const double deviation = std::sqrt(state_.slow_variance);
    if (result.update < 1000 || state_.fast_loss - state_.slow_loss <= 5 * deviation) return;
    if (options_.throw_on_divergence) {
      fail(ErrorKind::diverged, "the loss runs away: {:.3f} lately, {:.3f} before; lower learn-rate",
           state_.fast_loss, state_.slow_loss);
    }
    if (result.update % 100 == 0) {
      task_.on_warning(fmt::format("the loss runs away: {:.3f} lately, {:.3f} before", state_.fast_loss,
                                   state_.slow_loss));
    }
  }

  Trainer& trainer_;
  TrainingTask& task_;
  const LoopOptions& options_;
  TrainingState& state_;
  PackedBatch last_batch_;
  UpdateResult latest_;  // of those collected
  int failed_saves_ = 0;
  std::chrono::steady_clock::time_point clock_;
};

}  // namespace

Ending run_training_loop(Trainer& trainer, TrainingTask& task, const LoopOptions& options,
                         TrainingState& state) {
  return Loop(trainer, task, options, state).run();
}

bool is_over(const LoopOptions& options, const TrainingState& state) {
  return reached(options, state) || stalled_out(options, state);
}

std::optional<double> progress(const LoopOptions& options, const TrainingState& state, int64_t sentences) {
  std::optional<double> most;
  for (const Amount& limit : options.after) {
    if (limit.count <= 0) continue;
    double count = count_of(state, limit.unit);
    if (limit.unit == Amount::Unit::epochs && sentences > 0)
      count += static_cast<double>(state.position) / static_cast<double>(sentences);
    most = std::max(most.value_or(0), std::min(1.0, count / limit.count));
  }
  return most;
}

}  // namespace xf::nn
