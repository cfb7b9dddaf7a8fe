#include "nn/train/training_loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/stop.h"
#include "nn/train/divergence_detector.h"
#include "nn/train/interval.h"
#include "nn/train/validation_progress.h"

namespace xf::nn {

namespace {

constexpr int64_t kMostSkippedInRow = 20;
constexpr int kMostFailedSaves = 3;  // in a row
constexpr int64_t kMostRollbacks = 5;

bool stalled_out(const LoopOptions& options, const TrainingState& state) {
  return options.early_stopping > 0 && stalled(options, state) >= options.early_stopping;
}

bool same_updates(const std::vector<ScoredSave>& a, const std::vector<ScoredSave>& b) {
  return std::ranges::equal(a, b, {}, &ScoredSave::update, &ScoredSave::update);
}

class Loop {
 public:
  Loop(Trainer& trainer, TrainingTask& task, const LoopOptions& options, TrainingState& state)
      : trainer_(trainer),
        task_(task),
        options_(options),
        state_(state),
        capacity_(trainer.capacity().target_tokens),
        clock_(std::chrono::steady_clock::now()) {}

  Ending run() {
    try {
      for (;;) {
        if (!divergence_.empty()) recover();
        save_if_due();
        validate_if_due();
        if (!divergence_.empty()) continue;
        const Asked asked = what_is_asked();
        const bool at_end = reached(options_, state_);
        if (at_end || stalled_out(options_, state_)) {
          collect();  // what ran ahead may have diverged
          check_last_loss();
          if (divergence_.empty()) save_and_validate_the_last();
          if (divergence_.empty()) return at_end ? Ending::reached_end : Ending::stopped_early;
          continue;
        }
        if (asked.stop != 0) throw Stopped(asked.stop);
        if (asked.save) {
          collect();
          save_here();
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
  struct Asked {
    int stop = 0;  // by a signal; 0: no
    bool save = false;
  };

  // By signals to any of the ranks; and the clock, by which a limit of time is reached, is the
  // first rank's.
  Asked what_is_asked() {
    Collective& ranks = trainer_.ranks();
    if (ranks.size() == 1) return {stop_asked(), take_save_request()};
    ranks.poll();
    std::vector<double> of_each(2 * static_cast<size_t>(ranks.size()) + 1);
    const auto own = 2 * static_cast<size_t>(ranks.rank());
    of_each[own] = stop_asked();
    of_each[own + 1] = take_save_request() ? 1 : 0;
    if (ranks.is_first()) of_each.back() = state_.seconds;
    ranks.sum(std::span(of_each));
    state_.seconds = of_each.back();
    Asked asked;
    for (size_t r = 0; r + 1 < of_each.size(); r += 2) {
      if (of_each[r] != 0) asked.stop = static_cast<int>(of_each[r]);
      asked.save = asked.save || of_each[r + 1] != 0;
    }
    return asked;
  }

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
    } catch (const Error& error) {
      state_.saved_at = before;
      if (error.kind() != ErrorKind::diverged) throw;
      return diverge(error.what());
    } catch (...) {
      state_.saved_at = before;
      throw;
    }
    failed_saves_ = 0;
  }

  // Whether it is saved. An update is tried once.
  bool save_or_warn() {
    if (failed_at_ == state_.update) return false;
    try {
      save();
      return divergence_.empty();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::resources || ++failed_saves_ >= kMostFailedSaves) throw;
      failed_at_ = state_.update;
      task_.on_warning(
          fmt::format("{}; the earlier checkpoints are intact, and the next save tries again", error.what()));
      return false;
    }
  }

  // To go on from if training is killed: where it fails training loses nothing.
  void save_here() {
    try {
      task_.save(state_, SaveKind::interrupted);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::resources) throw;
      task_.on_warning(fmt::format("{}; not saved, but the earlier checkpoints are intact", error.what()));
    }
  }

  // Where the text can be read no further: an update takes all of its batches before it begins.
  // Other ranks have begun theirs.
  void save_what_is_learnt() {
    if (trainer_.ranks().size() > 1) return;
    collect();
    tick();
    save_here();
  }

  void validate_if_due() {
    if (state_.validated_at == state_.update || !due(options_.validate_every, state_)) return;
    validate();
  }

  // Nothing where the weights are so far gone that no translation has a finite probability.
  std::optional<std::vector<MetricScore>> scores_of_validation() {
    try {
      return task_.validate(state_);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::diverged) throw;
      diverge(error.what());
      return {};
    }
  }

  void diverge(const std::string& why) {
    divergence_ = fmt::format("training diverged at update {}: {}", state_.update, why);
  }

  void validate() {
    collect();
    if (!divergence_.empty()) return;
    const std::optional<std::vector<MetricScore>> measured = scores_of_validation();
    tick();
    if (!measured) return;
    const std::vector<MetricScore>& scores = *measured;
    if (!scores.empty()) forget_other_metric(scores.front());
    const bool gained = !scores.empty() && is_best(state_, scores.front(), options_.early_stopping_epsilon);
    const bool equal = !scores.empty() && !gained && equals_best(state_, scores.front());
    const bool taken = gained || equal;
    const std::vector<ScoredSave> runners_up =
        scores.empty() ? state_.runners_up
                       : runners_up_with(state_, scores.front(), taken, options_.keep_best - 1);
    const bool among_best =
        taken || std::ranges::find(runners_up, state_.update, &ScoredSave::update) != runners_up.end();
    // Saved as it stood before the validation, so that a run that is killed now validates again and
    // finds its best again. What cannot be saved is not the best: `best` means the one on the disk.
    const bool on_disk = !among_best || state_.saved_at == state_.update || save_or_warn();
    if (!divergence_.empty()) return;
    state_.validated_at = state_.update;
    ++state_.validations;
    if (scores.empty()) return;
    const double scale_before = state_.plateau.scale;
    follow(scores, gained, equal);
    if (on_disk && (taken || !same_updates(runners_up, state_.runners_up))) {
      state_.runners_up = runners_up;
      if (taken) take_as_best(scores.front());
      task_.mark_best(state_);
    }
    task_.on_validation(state_, scores, on_disk && taken);
    if (state_.plateau.scale != scale_before)
      task_.on_rate_cut(state_,
                        trainer_.schedule().at(state_.update + 1, state_.plateau) * state_.rate_scale);
  }

  // A model that has learnt little yet may have the same score, such as a BLEU of 0, again and
  // again.
  void follow(const std::vector<MetricScore>& scores, bool gained, bool equal) {
    const bool warming = state_.update <= trainer_.schedule().warmup;
    if (!warming || !equal) {
      state_.plateau = trainer_.schedule().validated(state_.plateau, state_.previous_epoch,
                                                     scores.front().value, scores.front().higher_is_better);
      state_.stalled = gained ? 0 : state_.stalled + 1;
    }
    state_.same_scores = same_scores_with(state_, scores.front());
    state_.other_metrics = followed(state_.other_metrics, scores, options_.early_stopping_epsilon, warming);
  }

  // A run may go on with another first metric: what was best by the one before is not comparable.
  void forget_other_metric(const MetricScore& first) {
    const bool knows_none = state_.best_metric.empty() && state_.best_update == 0;
    if (state_.best_metric == first.metric || knows_none) return;
    forget_best(state_);
    state_.plateau = {.scale = state_.plateau.scale};
  }

  void take_as_best(const MetricScore& first) {
    state_.best_metric = first.metric;
    state_.best_score = first.value;
    state_.best_update = state_.update;
  }

  // Whatever the frequencies say.
  void save_and_validate_the_last() {
    if (state_.saved_at != state_.update) save();
    if (divergence_.empty() && state_.validated_at != state_.update) validate();
  }

  // Fewer than would be too many in a row may have been skipped, but no run ends well with one.
  void check_last_loss() {
    if (!divergence_.empty() || std::isfinite(latest_.loss.smoothed)) return;
    diverge(fmt::format(
        "the last {} without a finite loss",
        state_.skipped_in_row == 1 ? "update was" : fmt::format("{} updates were", state_.skipped_in_row)));
  }

  void update() {
    tick();
    if (state_.epoch != state_.previous_epoch) state_.epoch_loss = {.sums = {}, .began = state_.seconds};
    const double seconds_before = state_.seconds;
    const int64_t epoch_before = state_.epoch, tokens_before = state_.target_tokens;
    try {
      trainer_.start(
          state_.update + 1, [&] { return last_batch_ = task_.next_batch(); }, state_.plateau,
          state_.rate_scale, [&] { return task_.skip_batch(); });
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::data) save_what_is_learnt();
      throw;
    }
    ++state_.update;
    tell_capacity();
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

  void tell_capacity() {
    const BatchSize now = trainer_.capacity();
    if (now.target_tokens != capacity_) {
      task_.on_warning(
          fmt::format("update {}: out of memory; from here on batches are computed in parts of at most {} "
                      "target tokens, with the same gradient{}",
                      state_.update, now.target_tokens,
                      trainer_.method().readings() > 1 ? ", except for dropout's masks" : ""));
    }
    capacity_ = now.target_tokens;
  }

  // Waits for the updates that were started. Their losses are looked at in their order, on any
  // device.
  void collect() {
    for (const UpdateResult& result : trainer_.finished()) {
      latest_ = result;
      if (!std::isfinite(result.gradient_norm) || !std::isfinite(result.loss.smoothed)) {
        skip(result.update);
      } else {
        state_.skipped_in_row = 0;
        returned_to_.reset();
        learn(result);
      }
    }
  }

  void skip(int64_t update) {
    ++state_.skipped;
    ++state_.skipped_in_row;
    task_.on_warning(fmt::format("update {}: the gradient is not finite; skipped, {} in a row", update,
                                 state_.skipped_in_row));
    if (state_.skipped_in_row <= kMostSkippedInRow || !divergence_.empty()) return;
    const auto culprit = trainer_.first_bad_value(state_.update + 1, last_batch_);
    divergence_ =
        fmt::format("training diverged at update {}: {} updates in a row without a finite gradient{}", update,
                    state_.skipped_in_row, culprit ? "; not finite: " + *culprit : "");
  }

  void learn(const UpdateResult& result) {
    state_.window += result.loss;
    const auto tokens = static_cast<double>(std::max<int64_t>(result.loss.tokens, 1));
    state_.epoch_loss.sums += result.loss;
    state_.epoch_loss.update_means += result.loss.plain / tokens;
    ++state_.epoch_loss.updates;
    const bool was_away = result.update > 1 && loss_diverges(state_, result.update - 1);
    // Without smoothing and what a method adds, which may begin late.
    track_loss(state_, result.update, result.loss.plain / tokens);
    if (!loss_diverges(state_, result.update) || !divergence_.empty()) return;
    const std::string what = fmt::format("the loss diverges: {:.3f} lately, {:.3f} before", state_.fast_loss,
                                         reference_loss(state_));
    if (options_.on_divergence != LoopOptions::OnDivergence::warn) {
      divergence_ = fmt::format("training diverged at update {}: {}", result.update, what);
    } else if (!was_away || result.update % 100 == 0) {
      task_.on_warning(fmt::format("update {}: {}", result.update, what));
    }
  }

  void recover() {
    trainer_.finished();  // what runs ahead is of the same course
    const std::string what = std::exchange(divergence_, "");
    if (options_.on_divergence != LoopOptions::OnDivergence::roll_back) give_up(what);
    if (state_.rollbacks == kMostRollbacks)
      give_up(fmt::format("{}, after {} rollbacks", what, kMostRollbacks));
    const int64_t last_stable_update =
        returned_to_ ? *returned_to_ - 1 : state_.last_stable_update;  // a save may be of no use
    const std::optional<TrainingState> earlier = task_.roll_back(last_stable_update);
    if (!earlier) give_up(what + ", and no earlier checkpoint is left");
    go_on_from(*earlier);
    returned_to_ = state_.update;
    task_.on_warning(fmt::format("{}; back to update {}, the learning rate times {}", what, state_.update,
                                 state_.rate_scale));
    save_here();
  }

  void go_on_from(TrainingState earlier) {
    earlier.rollbacks = state_.rollbacks + 1;
    earlier.rate_scale = state_.rate_scale / 2;
    earlier.skipped = state_.skipped;
    earlier.last_stable_update =
        std::max(earlier.last_stable_update, earlier.update);  // as it has turned out
    failed_at_ = 0;
    tick();
    earlier.seconds = state_.seconds;
    state_ = std::move(earlier);
  }

  [[noreturn]] void give_up(const std::string& what) {
    try {
      task_.save(state_, SaveKind::crashed);
    } catch (const Error& error) {
      task_.on_warning(fmt::format("the weights are not saved: {}", error.what()));
    }
    const bool rolls_back = options_.on_divergence == LoopOptions::OnDivergence::roll_back;
    fail(ErrorKind::diverged, "{}; lower learn-rate{} set clip-norm 1{}", what, rolls_back ? " or" : ",",
         rolls_back ? "" : ", or let --rollback do it");
  }

  Trainer& trainer_;
  TrainingTask& task_;
  const LoopOptions& options_;
  TrainingState& state_;
  int64_t capacity_;  // of the trainer, in target tokens, when it was last told
  PackedBatch last_batch_;
  UpdateResult latest_;                 // of those collected
  std::string divergence_;              // what happened, until recover()
  std::optional<int64_t> returned_to_;  // by a rollback, until there is a finite gradient
  int failed_saves_ = 0;
  int64_t failed_at_ = 0;  // update of the last of them
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

}  // namespace xf::nn
