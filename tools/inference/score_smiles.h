// xformer-score smiles: are they molecules, and new ones?
#pragma once

#include "tools/config/program_options.h"

namespace xf::tools {

// `options`: of xformer-score smiles. Prints a line for each measure: its name and a percentage of
// what the line above counts. "read" leaves out lines with what the reader does not know, as
// brackets.
void score_smiles(const MoleculeOptions& options);

}  // namespace xf::tools
