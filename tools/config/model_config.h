// From options to what nn/ is built with.
#pragma once

#include "data/batches.h"
#include "data/vocabularies.h"
#include "nn/train/learning_rates.h"
#include "nn/train/training_loop.h"
#include "tools/config/options.h"

namespace xf::tools {

// Error usage for options that do not fit together.
nn::TransformerConfig model_config(const Options& options, int64_t source_vocabulary,
                                   int64_t target_vocabulary);
// With what a model needs of the vocabularies besides their sizes: for --quirks, their <pad>.
nn::TransformerConfig model_config(const Options& options, const data::Vocabularies& vocabularies);
// How batches are cut.
data::BatchOrder batch_order(const Options& options);
// --optimizer and what goes with it.
nn::OptimizerOptions optimizer_options(const Options& options);
// --freeze and --learn-rate-of; what is frozen goes before another rate.
std::vector<nn::RateRule> rate_rules(const Options& options);
// `updates_per_epoch`, an estimate, turns epochs of warm-up and of a cosine's end into updates.
nn::TrainerOptions trainer_options(const Options& options, double updates_per_epoch);
// Where --after ends in updates, if it says so in updates or epochs.
std::optional<double> last_update(const Options& options, double updates_per_epoch);
nn::LoopOptions loop_options(const Options& options);
// --device, ready for --precision: whether its f32 products are in TF32. Error usage: there are no such products on it.
Device set_up_device(const Options& options);
DType chosen_dtype(const Options& options);
// What decides about the last bits besides the number of threads: device, kernels and precision.
std::string arithmetic(const Options& options);
// "bfloat16" for --precision auto where that is faster, with what to say of it; else the precision as it stands.
struct ChosenPrecision {
  std::string name, note;
};
ChosenPrecision chosen_precision(const Options& options);
// Device and precision for the log, with the reason where `auto` had to take the CPU, and where bfloat16 will be slow.
std::string device_line(const Options& options);

}  // namespace xf::tools
