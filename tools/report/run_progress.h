// How far a training run is, and how long it will take.
#pragma once

#include <optional>
#include <string>

#include "nn/train/training_loop.h"
#include "tools/console/progress.h"

namespace xf::tools {

// Number of the epoch that the last update belongs to, from 1.
inline int64_t epoch_of(const nn::TrainingState& state) { return state.previous_epoch + 1; }

// What is known of a run before it begins.
struct RunLength {
  double updates_per_epoch = 0;
  int64_t sentences = 0;           // of an epoch
  nn::TrainingMethod method = {};  // from where it begins an update takes as long as all of its
                                   // readings
};

class RunProgress {
 public:
  // The options must outlive the object.
  RunProgress(const nn::LoopOptions& loop, const RunLength& length) : loop_(loop), length_(length) {}

  Progress at(const nn::TrainingState& state, const nn::UpdateResult& result) const;

  // Where training will stop at the latest, in updates; 0: not known. Epochs differ by a few
  // updates: the estimate is of what is left, so that it ends as the number that was made.
  int64_t last_update(const nn::TrainingState& state) const;

  // Seconds of updates to the end, at the speed of this process: once, when enough of them were
  // made to tell. To be asked at each report, when every update that was started is done.
  std::optional<double> prediction(const nn::TrainingState& state);

 private:
  // Share of the time that all updates take, as far as batches that are read tell; nothing where no
  // end is known.
  std::optional<double> done(const nn::TrainingState& state) const;
  int64_t updates_left(double epochs, const nn::TrainingState& state) const;

  const nn::LoopOptions& loop_;
  RunLength length_;
  struct Moment {
    int64_t update = 0;
    double seconds = 0, done = 0;
  };
  std::optional<Moment> first_;  // report of this process
  bool predicted_ = false;
};

}  // namespace xf::tools
