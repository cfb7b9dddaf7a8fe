// xformer-score METRIC REF...: how good are translations?
#pragma once

#include "tools/options.h"

namespace xf::tools {

// `options`: of Program::score. Prints the scores of one system, of each of its lines, or a table of several systems.
void score_translations(const Options& options);

}  // namespace xf::tools
