// How far a training run is, and how long it will take.
#pragma once

#include <optional>
#include <string>

#include "nn/training_loop.h"
#include "tools/progress.h"

namespace xf::tools {

// Number of the epoch that the last update belongs to, from 1.
inline int64_t epoch_of(const nn::TrainingState& state) { return state.previous_epoch + 1; }

class RunProgress {
 public:
  // `sentences`: of an epoch. The options must outlive the object.
  RunProgress(const nn::LoopOptions& loop, double updates_per_epoch, int64_t sentences)
      : loop_(loop), updates_per_epoch_(updates_per_epoch), sentences_(sentences) {}

  Progress at(const nn::TrainingState& state, const nn::UpdateResult& result) const;

  // Where training will stop at the latest, in updates; 0: not known.
  int64_t last_update() const;

  // Seconds of updates to the end, at the speed of this process: once, when enough of them were made to tell. To be
  // asked at each report, when every update that was started is done.
  std::optional<double> prediction(const nn::TrainingState& state);

 private:
  std::optional<double> done(const nn::TrainingState& state) const;

  const nn::LoopOptions& loop_;
  double updates_per_epoch_;
  int64_t sentences_;
  struct Moment {
    int64_t update = 0;
    double seconds = 0, done = 0;
  };
  std::optional<Moment> first_;  // report of this process
  bool predicted_ = false;
};

}  // namespace xf::tools
