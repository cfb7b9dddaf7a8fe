// Line charts as drawings (tools/svg.h): the curves of a run, in its folder and its report, and of what is explained.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tools/svg.h"

namespace xf::tools {

// Of the series of a plot, in turn. Okabe and Ito's palette, without its black and yellow.
inline constexpr std::array<const char*, 6> kPlotColors = {"#0072B2", "#D55E00", "#009E73",
                                                           "#CC79A7", "#56B4E9", "#E69F00"};

// Text as XML and HTML want it, also between quotes.
std::string escaped(const std::string& text);

struct PlotPoint {
  double x = 0, y = 0;
};

struct PlotSeries {
  std::string name;               // in the legend
  std::vector<PlotPoint> points;  // by ascending x; a y that is not finite leaves a gap
  bool markers = false;           // a dot at each point: few, separate measurements
  bool faint = false;  // what the next series is the mean of: in its colour, lightly, and not in the legend
};

// A ring around a point, with a label of its own or none: the best score.
struct PlotMark {
  PlotPoint at;
  std::string text;
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotSeries>
      series;  // at most six that are not faint; they get colours that colour-blind readers can tell apart
  std::vector<PlotMark> marks;
  int width = 760, height = 420;  // pixels
};

// A plot without any finite point says "no data yet".
Drawing plot_drawing(const Plot& plot);
// The same as a complete SVG document.
std::string svg(const Plot& plot);

// Round numbers (1, 2 or 5 times a power of ten apart) that cover [low, high]: the first is <= low, the last
// >= high. About `wanted` of them.
std::vector<double> nice_ticks(double low, double high, int wanted);

}  // namespace xf::tools
