// What metrics are called in metrics.jsonl, valid.tsv and state.json: as they were called first, so
// that files of every version are read alike.
#pragma once

#include <string>

namespace xf::tools {

std::string stored_metric(const std::string& metric);

// The metric that files call so.
std::string metric_stored_as(const std::string& name);

}  // namespace xf::tools
