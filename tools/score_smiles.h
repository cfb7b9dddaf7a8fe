// xformer-score smiles: are they molecules, and new ones?
#pragma once

#include "tools/options.h"

namespace xf::tools {

// `options`: of Program::score_smiles. Prints a line for each measure: name, percentage.
void score_smiles(const Options& options);

}  // namespace xf::tools
