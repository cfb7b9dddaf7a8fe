// The curves of a run: loss.svg and bleu.svg, drawn anew from metrics.jsonl.
#pragma once

#include <string>

namespace xf::tools {

// Curves never stop training: what kept them from being drawn whole, a full disk or lines of metrics.jsonl that are none,
// is returned as a line for the user; empty: nothing did.
std::string write_curves(const std::string& run);

}  // namespace xf::tools
