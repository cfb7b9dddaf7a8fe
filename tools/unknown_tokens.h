// How much of a training text its vocabulary does not know.
#pragma once

#include <string>
#include <vector>

#include "tools/training_run.h"

namespace xf::tools {

// A sentence for each side with more than one unknown token in twenty. Error data where more than half of a side is unknown
// to a vocabulary that was given (--vocabs, --pretrained-model), unless --allow-unknown. Nothing of a run that goes on.
std::vector<std::string> unknown_token_warnings(const TrainingInputs& inputs);

}  // namespace xf::tools
