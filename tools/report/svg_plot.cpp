#include "tools/report/svg_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "data/display_text.h"

namespace xf::tools {
namespace {

// margins around the axes, pixels
constexpr double kLeft = 68, kRight = 24, kTop = 74, kBottom = 56;
constexpr double kLetter = 7.0;  // width of an average letter of the legend
constexpr int kTickRoom = 84;    // pixels from one tick of the x axis to the next, about
constexpr int kLegendLine = 18;  // pixels from one of its lines to the next

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

bool drawable(const Plot& plot, const PlotPoint& point) {
  const bool positive = point.x > 0 && point.y > 0;
  return std::isfinite(point.x) && std::isfinite(point.y) && (positive || plot.scale == Scale::linear);
}

std::string grid(const Plot& plot, const PlotAxis& x, const PlotAxis& y) {
  std::string out;
  const double bottom = y.pixel_low(), right = x.pixel_high();
  for (const double tick : y.ticks()) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"soft tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        kLeft, right, y(tick), y(tick), kLeft - 8, y(tick) + 4, y.label(tick));
  }
  for (const double tick : x.ticks()) {
    if (plot.scale == Scale::logarithmic)
      out +=
          fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n",
                      x(tick), bottom, y.pixel_high());
    out += fmt::format(
        "<line class=\"line\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"soft tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
        x(tick), x(tick), bottom, bottom + 5, x(tick), bottom + 20, x.label(tick));
  }
  out += fmt::format("<line class=\"line\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                     kLeft, right, bottom, bottom);
  out += fmt::format("<text class=\"ink label\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                     (kLeft + right) / 2, plot.height - 12, escaped(plot.x_label));
  const double middle = (y.pixel_low() + y.pixel_high()) / 2;
  out += fmt::format(
      "<text class=\"ink label\" x=\"18\" y=\"{:.1f}\" "
      "text-anchor=\"middle\" transform=\"rotate(-90 18 {:.1f})\">{}</text>\n",
      middle, middle, escaped(plot.y_label));
  return out;
}

// Light, so that dots that lie upon each other show.
std::string lone_dot(const std::string& name, const char* color, double x, double y) {
  const std::string title = name.empty() ? "" : fmt::format("<title>{}</title>", escaped(name));
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"{}\" fill-opacity=\"0.75\">{}</circle>\n", x, y,
      color, title);
}

// One polyline for each run of points that can be drawn.
std::string curve(const Plot& plot, const PlotSeries& series, const char* color, const PlotAxis& x,
                  const PlotAxis& y) {
  std::string out, dots, path;
  const char* const css_class = series.faint ? "curve faint" : "curve";
  const auto flush = [&] {
    if (!path.empty())
      out += fmt::format("<polyline class=\"{}\" stroke=\"{}\" points=\"{}\"/>\n", css_class, color, path);
    path.clear();
  };
  for (const PlotPoint& point : series.points) {
    if (!drawable(plot, point)) {
      flush();
      continue;
    }
    if (!series.joined) {
      dots += lone_dot(point.name, color, x(point.x), y(point.y));
      continue;
    }
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x(point.x), y(point.y));
    if (series.markers) {
      dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x(point.x),
                          y(point.y), color);
    }
  }
  flush();
  return out + dots;
}

// In the order of their colours; a faint one has that of the next.
const char* color_of(const Plot& plot, size_t series) {
  const auto place =
      std::count_if(plot.series.begin(), plot.series.begin() + static_cast<std::ptrdiff_t>(series),
                    [](const PlotSeries& before) { return !before.faint; });
  return kPlotColors[static_cast<size_t>(place) % kPlotColors.size()];
}

// Where a series' name starts: as many on a line as fit.
struct LegendPlace {
  double left = kLeft;
  int line = 0;
  size_t series = 0;
};

std::vector<LegendPlace> legend_places(const Plot& plot) {
  std::vector<LegendPlace> places;
  LegendPlace next;
  for (const PlotSeries& series : plot.series) {
    next.series = static_cast<size_t>(&series - plot.series.data());
    if (series.faint) continue;
    const double width = 24 + kLetter * static_cast<double>(series.name.size());
    if (next.left > kLeft && next.left + width > plot.width) next = {kLeft, next.line + 1, next.series};
    places.push_back(next);
    next.left += width + 20;
  }
  return places;
}

// The names of two series and more, below the title.
std::string legend(const Plot& plot, const std::vector<LegendPlace>& places) {
  if (places.size() < 2) return "";
  std::string out;
  for (const auto& [left, line, series] : places) {
    const int middle = 52 + kLegendLine * line;
    const char* const color = color_of(plot, series);
    out += plot.series[series].joined ? fmt::format(
                                            "<line class=\"curve\" stroke=\"{0}\" x1=\"{1:.1f}\" "
                                            "x2=\"{2:.1f}\" y1=\"{3}\" y2=\"{3}\"/>",
                                            color, left, left + 18, middle)
                                      : lone_dot("", color, left + 9, middle);
    out += fmt::format("<text class=\"ink label\" x=\"{:.1f}\" y=\"{}\">{}</text>\n", left + 24, middle + 4,
                       escaped(plot.series[series].name));
  }
  return out;
}

// A ring, and its label on the side of the plot where there is room.
std::string mark(const PlotMark& mark, const PlotAxis& x, const PlotAxis& y) {
  const double px = x(mark.at.x), py = y(mark.at.y);
  const bool right_half = px > (x.pixel_low() + x.pixel_high()) / 2;
  const double below = py < y.pixel_high() + 24 ? 22 : -10;
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" class=\"ring\" r=\"5.5\"/>"
      "<text class=\"ink note\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
      px, py, px + (right_half ? -8 : 8), py + below, right_half ? "end" : "start", escaped(mark.text));
}

// Beside the common rules (tools/report/svg.h); the curves' colours are seen on light ground and on
// dark.
constexpr const char* kStyle = R"(
.title { font-size: 17px; font-weight: 600; } .label { font-size: 13px; } .tick { font-size: 12px; }
.note { font-size: 13px; font-weight: 600; paint-order: stroke; stroke: #fff; stroke-width: 4px; }
.grid { stroke: #999; stroke-opacity: 0.3; } .ring { fill: none; stroke: #222; stroke-width: 1.5; }
.curve { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.faint { stroke-width: 1; stroke-opacity: 0.35; }
@media (prefers-color-scheme: dark) { .note { stroke: #181818; } .ring { stroke: #eee; } }
)";

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  // XML has no control characters, and a picture that is no UTF-8 is not read: a folder's name may
  // be either.
  for (const char c : data::printable_page(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

Drawing plot_drawing(const Plot& plot) {
  Range x_range, y_range;
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& point : series.points) {
      if (!drawable(plot, point)) continue;
      x_range.add(point.x);
      y_range.add(point.y);
    }
  }
  Drawing drawing(plot.width, plot.height, plot.title);
  drawing.style(kStyle);
  drawing.add(
      fmt::format("<text class=\"ink title\" x=\"{:.0f}\" y=\"30\">{}</text>", kLeft, escaped(plot.title)));
  if (x_range.low > x_range.high) {
    drawing.text(plot.width / 2.0, plot.height / 2.0, "no data yet", "middle");
    return drawing;
  }
  const PlotAxis x(plot.scale, x_range.low, x_range.high, plot.width / kTickRoom, kLeft, plot.width - kRight);
  const std::vector<LegendPlace> places = legend_places(plot);
  const PlotAxis y(plot.scale, y_range.low, y_range.high, 6, plot.height - kBottom,
                   kTop + kLegendLine * (places.empty() ? 0 : places.back().line));
  drawing.add(legend(plot, places) + grid(plot, x, y));
  for (size_t i = 0; i < plot.series.size(); ++i)
    drawing.add(curve(plot, plot.series[i], color_of(plot, i), x, y));
  for (const PlotMark& one : plot.marks) {
    if (drawable(plot, one.at)) drawing.add(mark(one, x, y));
  }
  return drawing;
}

std::string svg(const Plot& plot) { return plot_drawing(plot).svg(); }

}  // namespace xf::tools
