// What a save holds of a training, and a training that takes it up. Nothing here reads or writes a
// file: that is nn/checkpoint/checkpoint.h.
#pragma once

#include <optional>
#include <string>

#include "nn/checkpoint/checkpoint.h"
#include "nn/checkpoint/run_folder.h"
#include "tools/app/training_setup.h"
#include "tools/config/training_options.h"
#include "tools/report/run_report.h"

namespace xf::tools {

// `where` of the functions below is what an error says the checkpoint lies at.

// The model, the optimiser's state, and where training and its logs, which are `logs` long, have
// come to. Its tensors may be views of the store's. Where there is a mean of the weights it must
// stand in the store (nn::SmoothedWeights).
nn::Checkpoint checkpoint_of(const nn::TrainingState& state, const RunReport::Lengths& logs,
                             const TrainingInputs& inputs, const TrainingSetup& setup,
                             const TrainedModel& model);

// Where training stood, as checkpoint_of() keeps it and `averaged` has it of a run that is over.
nn::KeyValues state_to_save(const nn::TrainingState& state, const RunReport::Lengths& logs,
                            const TrainingInputs& inputs, const TrainingSetup& setup);
nn::TrainingState training_state_of(const nn::KeyValues& saved);
RunReport::Lengths lengths_of_logs(const nn::KeyValues& saved);

// Error usage unless `checkpoint` was trained on this text with these vocabularies.
void check_same_text(const nn::Checkpoint& checkpoint, const TrainingInputs& inputs,
                     const std::string& where);

// Whether the scores in `saved` are of another validation text than this one. False where one of
// the two has none.
bool scored_other_text(const nn::KeyValues& saved, const TrainingInputs& inputs);

// How BLEU cut lines for the scores in `saved`; nothing where there are none.
std::optional<data::BleuTokenizer> scoring_tokenizer(const nn::KeyValues& saved);

// The weights, with their mean where there is one, and the place in the text.
void load_training(const nn::Checkpoint& checkpoint, TrainingSetup& setup, TrainedModel& model,
                   const std::string& where);

// Error usage where other weights were frozen or had a rate of their own; error data where the
// optimiser is another one.
void load_moments(const nn::Checkpoint& checkpoint, const TrainingOptions& options,
                  const nn::Optimizer& optimizer, const std::string& where);

}  // namespace xf::tools
