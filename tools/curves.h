// The curves of a run, drawn anew from metrics.jsonl: loss.svg and bleu.svg by update; loss_by_epoch.svg and
// bleu_by_epoch.svg once an epoch has ended.
#pragma once

#include <string>

namespace xf::tools {

// Curves never stop training: what kept them from being drawn whole, a full disk or lines of metrics.jsonl that are none,
// is returned as a line for the user; empty: nothing did.
std::string write_curves(const std::string& run);

}  // namespace xf::tools
