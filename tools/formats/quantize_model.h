// xformer-export quantize: a model in eight bits, about a quarter of the f32 one's size.
#pragma once

#include "tools/config/program_options.h"

namespace xf::tools {

// Writes --model, rounded as --precision int8 rounds it, to --output, with its vocabularies, and
// tells on the standard error how large both are. Error usage for a model that is in eight bits
// already or has quirks, else as read_model_files(), model_output() and write_model() have them.
void quantize_model(const QuantizeOptions& options);

}  // namespace xf::tools
