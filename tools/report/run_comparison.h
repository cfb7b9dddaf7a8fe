// xformer-train --report RUN...: several runs on one page, from their own training.toml and
// metrics.jsonl.
#pragma once

#include <string>
#include <vector>

namespace xf::tools {

// Scores, what their configurations have differently, and their curves in common plots. Error usage
// for more runs than there are colours (tools/report/svg_plot.h), data for a folder that is no run.
std::string comparison_page(const std::vector<std::string>& runs);

}  // namespace xf::tools
