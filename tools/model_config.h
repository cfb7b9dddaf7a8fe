// From options to what nn/ is built with.
#pragma once

#include "data/batches.h"
#include "nn/training_loop.h"
#include "tools/options.h"

namespace xf::tools {

// Error usage for options that do not fit together.
nn::TransformerConfig model_config(const Options& options, int64_t source_vocabulary,
                                   int64_t target_vocabulary);
// `updates_per_epoch`, an estimate, turns epochs of warm-up and of a cosine's end into updates.
nn::TrainerOptions trainer_options(const Options& options, double updates_per_epoch);
nn::LoopOptions loop_options(const Options& options);
// --device; and for the log, with the reason where `auto` had to take the CPU.
Device chosen_device(const Options& options);
std::string device_line(const Options& options);
// --precision. Error usage where the chosen device does not compute in it.
DType training_dtype(const Options& options);

}  // namespace xf::tools
