// Stored results as tables of a page in Markdown: docs/performance.md.
#pragma once

#include <string>
#include <vector>

#include "bench/results.h"

namespace xf::bench {

// One section per question, with a table each: training step, translation, kernels, GPU. A question
// without rows is left out, and so is a row that did not run. Of rows of the same machine, key()
// and kind of baseline, the newest run's stays. Rows of a section come in the order of the runs'
// dates.
std::string to_markdown(std::vector<Results> runs);

}  // namespace xf::bench
