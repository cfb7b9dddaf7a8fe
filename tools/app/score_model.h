// xformer-score lm: how well a saved model tells a text: its loss, without searching for anything.
#pragma once

#include "tools/config/program_options.h"

namespace xf::tools {

// `options`: of xformer-score lm. Prints a line for each measure: name, value.
void score_model(const LossOptions& options);

}  // namespace xf::tools
