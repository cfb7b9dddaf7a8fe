// Whether the training loss keeps its course, of which the state that is saved has the means.
#pragma once

#include <cstdint>

#include "nn/training_loop.h"

namespace xf::nn {

// Takes in the loss of an update, -log p(target) per token: the means over 10 and 1000 updates, the variance about the
// first, and on_course.
void follow_loss(TrainingState& state, int64_t update, double loss);

// Whether behind this update the fast mean is above the slow one by 5 standard deviations. Never in the first 100.
bool loss_runs_away(const TrainingState& state, int64_t update);

}  // namespace xf::nn
