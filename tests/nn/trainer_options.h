// How a Trainer of a test trains.
#pragma once

#include "nn/train/trainer.h"

namespace xf::tests {

inline nn::TrainerOptions options_for_tests(int64_t micro_batches = 1) {
  nn::TrainerOptions options;
  options.schedule = {.peak = 3e-3, .warmup = 10};
  options.clip_norm = 1;
  options.micro_batches = micro_batches;
  options.seed = 42;
  return options;
}

}  // namespace xf::tests
