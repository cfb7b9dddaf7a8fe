// xformer-export to: a model in the form of another toolkit, or one of theirs as a model of this
// one.
#pragma once

#include "tools/config/program_options.h"

namespace xf::tools {

// Writes --model in the form that --format names to --output. Error usage, before anything is
// written, for a model that the form cannot hold.
void convert_model(const ExportOptions& options);

}  // namespace xf::tools
