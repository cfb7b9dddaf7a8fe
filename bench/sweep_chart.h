// Rows of --shape N=4096,D=1:65536:*2 as plots: times against the size that varies.
#pragma once

#include <vector>

#include "bench/results.h"
#include "tools/report/svg_plot.h"

namespace xf::bench {

// A plot for each function and size that takes three values or more while all others stay: ours,
// what it was compared with, and the floor.
std::vector<tools::Plot> sweep_plots(const Results& run);

}  // namespace xf::bench
