// The curves of a run: loss.svg and bleu.svg, drawn anew from metrics.jsonl.
#pragma once

#include <string>

namespace xf::tools {

// A folder that cannot be written, or a metrics file that is not there, is no error: curves never stop
// training.
void write_curves(const std::string& run);

}  // namespace xf::tools
