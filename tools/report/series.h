// Long series as a drawing of a few hundred pixels can show them.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/report/svg_plot.h"

namespace xf::tools {

// At most `most` (4 or more) of the points, in order: the first, the last, and of each stretch between them the lowest
// and the highest, so that no peak is lost.
std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, size_t most);

// The mean of the points around each one, `window` of them where there are as many.
std::vector<PlotPoint> moving_mean(const std::vector<PlotPoint>& points, size_t window);

}  // namespace xf::tools
