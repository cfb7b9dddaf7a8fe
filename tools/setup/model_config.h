// From options to what nn/ is built with.
#pragma once

#include "data/batches.h"
#include "data/vocabularies.h"
#include "nn/train/learning_rates.h"
#include "nn/train/training_loop.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// Error usage for settings that do not fit together.
nn::TransformerConfig model_config(const ModelSettings& settings, int64_t source_vocabulary,
                                   int64_t target_vocabulary);
// With what a model needs of the vocabularies besides their sizes: the ids of <pad>, for --quirks.
nn::TransformerConfig model_config(const ModelSettings& settings, const data::Vocabularies& vocabularies);
// The same of a model in training, with what becomes of its layers' values
// (--gradient-checkpointing).
nn::TransformerConfig trained_model_config(const TrainingOptions& options,
                                           const data::Vocabularies& vocabularies);
// How batches are cut.
data::BatchOrder batch_order(const BatchOptions& options);
// --optimizer and what goes with it.
nn::OptimizerOptions optimizer_options(const TrainingOptions& options);
// --freeze and --lr-multiplier; what is frozen goes before another rate.
std::vector<nn::RateRule> rate_rules(const TrainingOptions& options);
// `updates_per_epoch`, an estimate, turns epochs of warm-up and of a cosine's end into updates.
nn::TrainerOptions trainer_options(const TrainingOptions& options, double updates_per_epoch);
// Of a length in updates or epochs; Error usage, with the option's name, for others.
int64_t in_updates(const TrainingLength& length, double updates_per_epoch, const char* key);
// Error usage unless it is in updates or epochs.
void check_counts_updates(const TrainingLength& length, const char* key);
// Where --after ends in updates, if it says so in updates or epochs.
std::optional<double> last_update(const TrainingOptions& options, double updates_per_epoch);
nn::LoopOptions loop_options(const TrainingOptions& options);

}  // namespace xf::tools
