// xformer-export average: the mean of chosen checkpoints, as a model that stands alone.
#pragma once

#include <string>
#include <vector>

#include "tools/config/program_options.h"

namespace xf::tools {

// Those that --model with --last or --best, or the bare words, name, in the order in which they are
// added: a run's by ascending update. Error usage for options that do not fit together, and for
// more than the run has.
std::vector<std::string> chosen_checkpoints(const AverageOptions& options);

// Writes their mean (nn/checkpoint/average.h) to --output, with the vocabularies of the last one's
// run as its companions, and tells on the standard error what was taken. Error data, naming it, for
// a checkpoint that is missing, damaged, another model, or of another vocabulary; usage if --output
// is there and is no model that --overwrite may replace.
void average_checkpoints(const AverageOptions& options);

}  // namespace xf::tools
