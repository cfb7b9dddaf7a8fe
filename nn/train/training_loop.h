// The training loop: updates, scheduled saves, validation, early stopping, the end. It knows when;
// what a batch is, how to validate, where to save and what to print is its task's business.
//
// Everything that decides how training goes on is in TrainingState, which is saved with every
// checkpoint. The loop asks "what is due at this update and not done yet?" before each update, so
// that a run that was stopped anywhere (between updates, in the midst of a validation) goes on
// exactly as if it had not been.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "nn/checkpoint/checkpoint.h"
#include "nn/train/trainer.h"
#include "nn/train/training_length.h"

namespace xf::nn {

struct MetricScore {
  std::string metric;
  double value = 0;
  bool higher_is_better = true;
};

// The loss over the updates of an epoch; begins anew with the first update of the next one.
struct EpochLoss {
  LossSums sums;            // over tokens
  double update_means = 0;  // sum of the updates' -log p(target) per token: however long, each
                            // counts as much
  int64_t updates = 0;
  double began = 0;  // TrainingState::seconds
};

// How a metric after the first one has done.
struct MetricProgress {
  std::string metric;
  double best = 0;
  int64_t stalled = 0;  // validations without progress, in a row
};

// A scheduled save that was validated, and its score by the first metric.
struct ScoredSave {
  int64_t update = 0;
  double score = 0;
};

constexpr double kNoLoss = std::numeric_limits<double>::quiet_NaN();

struct TrainingState {
  int64_t update = 0;  // done
  int64_t epoch = 0;   // where the next batch comes from: pairs [0, position) of it were handed out
  int64_t position = 0;
  int64_t target_tokens = 0;                        // seen
  int64_t previous_epoch = 0, previous_tokens = 0;  // before the last update: what it crossed is
                                                    // due
  double seconds = 0;                               // of training, over all parts of the run
  int64_t saved_at = 0, validated_at = 0;           // update of the last scheduled save, of the
                                                    // last
                                                    // validation
  int64_t validations = 0, stalled = 0;             // without progress of the first metric, in a
                                                    // row
  std::string best_metric;
  double best_score = 0;
  int64_t best_update = 0;                    // 0: none yet
  int64_t same_scores = 0;                    // validations in which the first metric has had one value;
                                              // 0: it has
                                              // had another
  std::vector<ScoredSave> runners_up;         // the best but that one, better ones first
  std::vector<MetricProgress> other_metrics;  // all but the first
  int64_t optimizer_began = 0;                // the update behind which its count begins
  int64_t skipped = 0;                        // updates whose gradient was not finite
  int64_t skipped_in_row = 0;
  LossSums window;  // since the last report
  double window_seconds = 0;
  // For the divergence check: the loss that training began with, and running means over 10 and 1000
  // updates. NaN: not known, the next loss is all three.
  double first_loss = kNoLoss, fast_loss = kNoLoss, slow_loss = kNoLoss;
  double loss_variance = 0;        // about the fast mean, over 1000 updates
  int64_t last_stable_update = 0;  // the last update whose fast mean was not above the slow one
  int64_t rollbacks = 0;
  double rate_scale = 1;  // of the schedule's learning rate: halved by each rollback
  PlateauState plateau;
  EpochLoss epoch_loss;
};

// For state.json, and back (nn/checkpoint/checkpoint.h).
KeyValues to_state(const TrainingState& training);
TrainingState training_state_from(const KeyValues& state);

struct LoopOptions {
  std::vector<TrainingLength> after = {};  // stop at the first of these
  TrainingLength validate_every{1, TrainingLength::Unit::epochs};
  TrainingLength save_every{1, TrainingLength::Unit::epochs};
  TrainingLength report_every{50, TrainingLength::Unit::updates};
  int64_t report_first = 5;    // and each of the first updates
  int64_t early_stopping = 0;  // validations without progress; 0: never
  double early_stopping_epsilon = 0;
  // Whose progress counts: the first metric's, that of any (the first one to stall ends training),
  // of all (the last).
  enum class StoppingMetric { first, any, all } early_stopping_on = StoppingMetric::first;
  int64_t keep_best = 1;  // saves: the best one and its runners-up
  // What is done when the loss runs away. Without a finite gradient for 20 updates `warn` ends
  // training, too.
  enum class OnDivergence { warn, stop, roll_back } on_divergence = OnDivergence::warn;
};

enum class SaveKind {
  scheduled,    // kept, averaged
  interrupted,  // a signal asked: good for going on, counts for nothing else
  crashed,      // training diverged: to look at, nothing goes on from it
};

// What the loop asks of the program around it. Of several ranks each runs the loop, with the same
// state but for the clock, and asks in the same order: validate(), save(), mark_best() and
// roll_back() do their work together.
class TrainingTask {
 public:
  virtual ~TrainingTask() = default;

  virtual PackedBatch next_batch() = 0;
  // Passes over it: another rank computes it.
  virtual BatchSize skip_batch() = 0;
  // Where the next batch comes from; sets state.epoch and state.position.
  virtual void locate(TrainingState& state) const = 0;
  // The first score decides about the best checkpoint and early stopping. May throw Stopped, and
  // Error diverged where the weights are no longer good for any.
  virtual std::vector<MetricScore> validate(const TrainingState& state) = 0;
  // Error resources (disk full): not saved, the earlier saves are as they were. Error diverged: the
  // same, for weights that are not finite.
  virtual void save(const TrainingState& state, SaveKind kind) = 0;
  // state.best_update or state.runners_up have changed; scheduled saves of these updates were made.
  virtual void mark_best(const TrainingState& state) = 0;
  // Model, optimiser and batches as the last scheduled save of at most `update` updates has them,
  // whose state is returned; later saves are gone. Nothing, and nothing has changed, if there is no
  // such save.
  virtual std::optional<TrainingState> roll_back(int64_t update) = 0;

  // For display and logs. A report covers state.window.
  virtual void on_update(const TrainingState& state, const UpdateResult& result) = 0;
  virtual void on_report(const TrainingState& state, const UpdateResult& result) = 0;
  // An epoch has ended: state.epoch of them are done.
  virtual void on_epoch(const TrainingState& state) = 0;
  // `best`: its save is the best now, better than those before it, or as good (state.stalled,
  // state.same_scores).
  virtual void on_validation(const TrainingState& state, const std::vector<MetricScore>& scores,
                             bool best) = 0;
  // A plateau has cut the learning rate, which is `rate` from here on; behind on_validation().
  virtual void on_rate_cut(const TrainingState& state, double rate) = 0;
  virtual void on_warning(const std::string& text) = 0;
};

enum class Ending { reached_end, stopped_early };

// Trains from `state` on, and leaves it at the end. Saves and rethrows on Stopped: a stop that any
// rank is asked for is that of all, between the same updates. The same, of one rank, for Error data
// of next_batch(). A scheduled save that fails for want of resources is warned about and tried
// again when the next one is due; the third in a row, and the last of the run, throws. One that a
// signal or a rollback asked for is warned about and no more. Divergence is more than 20 updates in
// a row without a finite gradient, or a last one without a finite loss; a validation or a save that
// throws Error (diverged); and a loss that runs away (nn/train/divergence_detector.h). Rolling
// back, it goes on from the last save of before the loss left its course with half the learning
// rate, at most five times. Training that ends for divergence is saved as crashed; throws Error
// (diverged).
Ending run_training_loop(Trainer& trainer, TrainingTask& task, const LoopOptions& options,
                         TrainingState& state);

// Whether training ends where `state` stands.
bool is_over(const LoopOptions& options, const TrainingState& state);

}  // namespace xf::nn
