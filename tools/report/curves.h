// The curves of a run as files, drawn anew from its metrics: loss.svg and bleu.svg by update; loss_by_epoch.svg and
// bleu_by_epoch.svg once an epoch has ended.
#pragma once

#include <string>

#include "tools/report/run_metrics.h"

namespace xf::tools {

// Error resources where one cannot be written.
void write_curves(const std::string& run, const RunMetrics& metrics);

}  // namespace xf::tools
