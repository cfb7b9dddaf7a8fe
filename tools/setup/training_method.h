// The training method that options ask for (nn/train/training_method.h), and what they must say of
// it. Its names stand here and in the options' rows alone.
#pragma once

#include <optional>
#include <string>

#include "nn/train/training_method.h"
#include "nn/transformer_config.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// The option that says when the method begins: a phase of training.
inline constexpr const char* kMethodBegins = "r-drop-after";

// `updates_per_epoch`, an estimate, turns epochs into updates.
nn::TrainingMethod training_method(const TrainingOptions& options, double updates_per_epoch);

// How often a batch lies in memory at once.
int64_t most_readings(const TrainingOptions& options);

// Error usage for options of a method that say nothing, or nonsense.
void check_method(const TrainingOptions& options);
// Error usage for a model that has a loss of its own.
void check_method(const TrainingOptions& options, const nn::TransformerConfig& model);
// Error usage if it begins behind the end of training.
void check_method_begins(const TrainingOptions& options);

// Of a method that does not begin in so many epochs.
std::optional<std::string> method_warning(const TrainingOptions& options, double epochs);

}  // namespace xf::tools
