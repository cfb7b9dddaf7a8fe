// Whether a vocabulary and a training text are made for each other.
#pragma once

#include <string>
#include <vector>

#include "tools/app/training_run.h"

namespace xf::tools {

// A sentence for each side with more than one unknown token in twenty; for lines without a tag,
// where the vocabulary has several (data/language_tags.h); and for scores that count pieces. Error
// data where more than half of a side is unknown to a vocabulary that was given (--vocabs,
// --pretrained-model), unless --allow-unknown. Nothing of a run that goes on.
std::vector<std::string> vocabulary_warnings(const TrainingInputs& inputs);

}  // namespace xf::tools
