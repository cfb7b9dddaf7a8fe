// The charts of a report that tools/svg_plot.h does not draw, as inline SVG: logarithmic axes, and bars.
// Colours come from the page's style (bench/report.cpp).
#pragma once

#include <string>
#include <vector>

namespace xf::bench {

struct Dot {
  double x = 0, y = 0;
  std::string name;  // shown when the pointer rests on it
};
struct LogSeries {
  std::string name;
  std::vector<Dot> dots;
  bool line = false;  // joined, without dots
};
// Both axes logarithmic; what is not positive and finite is left out.
struct LogPlot {
  std::string title, x_label, y_label;
  std::vector<LogSeries> series;  // at most six
};
std::string svg(const LogPlot& plot);

// Horizontal bars, each with its value written behind it; `mark` is a line across all of them.
struct Bar {
  std::string name, text;
  double value = 0;
};
struct BarChart {
  std::string title;
  std::vector<Bar> bars;
  double mark = 0;  // 0: none
};
std::string svg(const BarChart& chart);

}  // namespace xf::bench
