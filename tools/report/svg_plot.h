// Line charts as drawings (tools/report/svg.h): the curves of a run, in its folder and its report,
// of what is explained, and of benchmarks.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tools/report/plot_axis.h"
#include "tools/report/svg.h"

namespace xf::tools {

// Of the series of a plot, in turn. Okabe and Ito's palette, without its black and yellow.
inline constexpr std::array<const char*, 6> kPlotColors = {"#0072B2", "#D55E00", "#009E73",
                                                           "#CC79A7", "#56B4E9", "#E69F00"};

// Text as XML and HTML want it, also between quotes.
std::string escaped(const std::string& text);

struct PlotPoint {
  double x = 0, y = 0;
  std::string name = {};  // of a dot that stands alone: shown when the pointer rests on it
};

struct PlotSeries {
  std::string name;               // in the legend
  std::vector<PlotPoint> points;  // by ascending x; a y that is not finite leaves a gap
  bool markers = false;           // a dot at each point: few, separate measurements
  bool faint = false;             // what the next series is the mean of: in its colour, lightly,
                                  // and not in
                                  // the legend
  bool joined = true;             // by a curve; else each point is a dot that stands alone
};

// A ring around a point, with a label of its own or none: the best score.
struct PlotMark {
  PlotPoint at;
  std::string text;
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotSeries>
      series;  // at most six that are not faint; they get colours that colour-blind readers can
               // tell apart
  std::vector<PlotMark> marks;
  Scale scale = Scale::linear;    // of both axes; logarithmic leaves out what is not positive
  int width = 760, height = 420;  // pixels
};

// A plot without any point to draw says "no data yet".
Drawing plot_drawing(const Plot& plot);
// The same as a complete SVG document.
std::string svg(const Plot& plot);

}  // namespace xf::tools
