// What a stored checkpoint says of its model and of its training.
#pragma once

#include <string>

#include "nn/checkpoint/checkpoint.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// Of the checkpoint that lies in `folder`. Error usage, with the file and the line, for what is wrong there.
ModelSettings settings_of(const nn::Checkpoint& checkpoint, const std::string& folder);
// As it was trained; of a model that was not trained here what it is, and a task's values.
TrainingOptions training_of(const nn::Checkpoint& checkpoint, const std::string& folder);

// The settings of the model in `folder`, read from their file alone.
ModelSettings read_settings(const std::string& folder);

}  // namespace xf::tools
