// Horizontal bars, each with its value written behind it, as a drawing (tools/report/svg.h).
#pragma once

#include <string>
#include <vector>

#include "tools/report/svg.h"

namespace xf::bench {

struct Bar {
  std::string name, text;
  double value = 0;  // not finite: no bar
};
struct BarChart {
  std::string title;
  std::vector<Bar> bars;
  double mark = 0;  // a line across all bars; those that do not reach it stand out; 0: none
};
tools::Drawing drawing_of(const BarChart& chart);

}  // namespace xf::bench
