// Lines that a metric sees as one word each say nothing about how good a translation is.
#pragma once

#include <string>
#include <vector>

#include "tools/config/scoring_options.h"

namespace xf::tools {

// What a user of xformer-score should read where the metric leaves most lines of the reference uncut, and what to give instead;
// "" where it cuts them. `options`: of Program::score.
std::string uncut_warning(const std::string& metric, const std::vector<std::string>& references,
                          const ScoringOptions& options);

}  // namespace xf::tools
