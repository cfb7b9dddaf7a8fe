// Whether the training loss diverges; TrainingState has its running means.
#pragma once

#include <cstdint>

#include "nn/train/training_loop.h"

namespace xf::nn {

// Takes in the loss of an update, -log p(target) per token: the first one, the means over 10 and
// 1000 updates, the variance about the first of them, and last_stable_update.
void track_loss(TrainingState& state, int64_t update, double loss);

// Whether behind this update the fast mean is above the slow one by 5 standard deviations, which
// the first 100 cannot tell; or, from the fifth update on, above twice the loss that training began
// with, and 2.
bool loss_diverges(const TrainingState& state, int64_t update);

// What the fast mean is held against: the slow one, or the first loss where that was lower.
double reference_loss(const TrainingState& state);

}  // namespace xf::nn
