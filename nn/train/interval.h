// Whether an interval of training has passed; TrainingState counts what has been trained.
#pragma once

#include <optional>

#include "nn/train/training_loop.h"

namespace xf::nn {

// Whether something that happens every so often falls on the update just done.
bool due(const TrainingLength& every, const TrainingState& state);

// Whether one of the limits is reached.
bool reached(const LoopOptions& options, const TrainingState& state);

// How much of the run is done, 0..1; nothing where no limit is known. `sentences`: of an epoch; 0:
// not known, and whole epochs are counted.
std::optional<double> progress(const LoopOptions& options, const TrainingState& state, int64_t sentences);

}  // namespace xf::nn
