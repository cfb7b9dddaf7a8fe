// R-Drop (docs/derivations/r_drop.md): each batch is read twice, and the two readings are to agree.
#pragma once

#include "nn/train/training_method.h"

namespace xf::nn {

// alpha: its paper's; 0: no method.
TrainingMethod r_drop(double alpha, int64_t begins_after = 0);

}  // namespace xf::nn
