#include "tools/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace xf::tools {
namespace {

constexpr double kLeft = 68, kRight = 24, kTop = 74, kBottom = 56;  // margins around the axes, pixels
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

// From data to pixels.
struct Axis {
  std::vector<double> ticks;
  double pixel_low = 0, pixel_high = 0;
  double operator()(double value) const {
    const double share = (value - ticks.front()) / (ticks.back() - ticks.front());
    return pixel_low + share * (pixel_high - pixel_low);
  }
};

// 8000 -> 8k; steps below 1 get the digits that tell neighbours apart.
std::string tick_label(double value, double step) {
  if (step >= 1000) return value == 0 ? "0" : fmt::format("{:g}k", value / 1000);
  const int digits = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  return fmt::format("{:.{}f}", value == 0 ? 0.0 : value, digits);
}

bool finite(const PlotPoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

// Ends at the last tick below and above the data; a constant gets room around it.
Axis make_axis(Range range, int wanted, double pixel_low, double pixel_high) {
  if (range.high - range.low < 1e-12 * std::max(1.0, std::abs(range.high))) {
    const double room = range.high == 0 ? 1.0 : std::abs(range.high) * 0.1;
    range = {range.low - room, range.high + room};
  }
  return {nice_ticks(range.low, range.high, wanted), pixel_low, pixel_high};
}

std::string grid(const Plot& plot, const Axis& x, const Axis& y) {
  std::string out;
  const double bottom = y.pixel_low, right = x.pixel_high;
  for (const double tick : y.ticks) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"soft tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        kLeft, right, y(tick), y(tick), kLeft - 8, y(tick) + 4, tick_label(tick, y.ticks[1] - y.ticks[0]));
  }
  for (const double tick : x.ticks) {
    out += fmt::format(
        "<line class=\"line\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"soft tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
        x(tick), x(tick), bottom, bottom + 5, x(tick), bottom + 20,
        tick_label(tick, x.ticks[1] - x.ticks[0]));
  }
  out += fmt::format("<line class=\"line\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                     kLeft, right, bottom, bottom);
  out += fmt::format("<text class=\"ink label\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                     (kLeft + right) / 2, plot.height - 12, escaped(plot.x_label));
  const double middle = (y.pixel_low + y.pixel_high) / 2;
  out += fmt::format(
      "<text class=\"ink label\" x=\"18\" y=\"{:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 18 "
      "{:.1f})\">{}</text>\n",
      middle, middle, escaped(plot.y_label));
  return out;
}

// One polyline for each run of finite points.
std::string curve(const PlotSeries& series, const char* color, const Axis& x, const Axis& y) {
  std::string out, dots, path;
  const char* const css_class = series.faint ? "curve faint" : "curve";
  const auto flush = [&] {
    if (!path.empty())
      out += fmt::format("<polyline class=\"{}\" stroke=\"{}\" points=\"{}\"/>\n", css_class, color, path);
    path.clear();
  };
  for (const PlotPoint& point : series.points) {
    if (!finite(point)) {
      flush();
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
    out += fmt::format(
        "<line class=\"curve\" stroke=\"{0}\" x1=\"{1:.1f}\" x2=\"{2:.1f}\" y1=\"{3}\" y2=\"{3}\"/>"
        "<text class=\"ink label\" x=\"{4:.1f}\" y=\"{5}\">{6}</text>\n",
        color_of(plot, series), left, left + 18, middle, left + 24, middle + 4,
        escaped(plot.series[series].name));
  }
  return out;
}

// A ring, and its label on the side of the plot where there is room.
std::string mark(const PlotMark& mark, const Axis& x, const Axis& y) {
  const double px = x(mark.at.x), py = y(mark.at.y);
  const bool right_half = px > (x.pixel_low + x.pixel_high) / 2;
  const double below = py < y.pixel_high + 24 ? 22 : -10;
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" class=\"ring\" r=\"5.5\"/>"
      "<text class=\"ink note\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
      px, py, px + (right_half ? -8 : 8), py + below, right_half ? "end" : "start", escaped(mark.text));
}

// Beside the common rules (tools/svg.h); the curves' colours are seen on light ground and on dark.
constexpr const char* kStyle = R"(
.title { font-size: 17px; font-weight: 600; } .label { font-size: 13px; } .tick { font-size: 12px; }
.note { font-size: 13px; font-weight: 600; paint-order: stroke; stroke: #fff; stroke-width: 4px; }
.grid { stroke: #999; stroke-opacity: 0.3; } .ring { fill: none; stroke: #222; stroke-width: 1.5; }
.curve { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.faint { stroke-width: 1; stroke-opacity: 0.35; }
@media (prefers-color-scheme: dark) { .note { stroke: #181818; } .ring { stroke: #eee; } }
)";

}  // namespace

std::vector<double> nice_ticks(double low, double high, int wanted) {
  const double rough = (high - low) / std::max(wanted - 1, 1);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double lead = rough / power;
  const double step = power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
  const double slack = 1e-9;  // so that 0.3 / 0.1 counts as 3
  const auto first = static_cast<long long>(std::floor(low / step + slack));
  const auto last = std::max(static_cast<long long>(std::ceil(high / step - slack)), first + 1);
  std::vector<double> ticks;
  for (long long i = first; i <= last; ++i) ticks.push_back(static_cast<double>(i) * step);
  return ticks;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
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
      if (!finite(point)) continue;
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
  const Axis x = make_axis(x_range, plot.width / kTickRoom, kLeft, plot.width - kRight);
  const std::vector<LegendPlace> places = legend_places(plot);
  const Axis y = make_axis(y_range, 6, plot.height - kBottom,
                           kTop + kLegendLine * (places.empty() ? 0 : places.back().line));
  drawing.add(legend(plot, places) + grid(plot, x, y));
  for (size_t i = 0; i < plot.series.size(); ++i) drawing.add(curve(plot.series[i], color_of(plot, i), x, y));
  for (const PlotMark& one : plot.marks) {
    if (finite(one.at)) drawing.add(mark(one, x, y));
  }
  return drawing;
}

std::string svg(const Plot& plot) { return plot_drawing(plot).svg(); }

}  // namespace xf::tools
