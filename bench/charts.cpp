#include "bench/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tools/svg_plot.h"

namespace xf::bench {

namespace {

constexpr double kWidth = 760, kHeight = 420, kLeft = 78, kRight = 24, kTop = 64, kBottom = 52;  // pixels
constexpr double kLetter = 7;  // width of an average letter

// A logarithmic axis from whole decade to whole decade, or, where the data span little, from 1, 2 or 5 times
// one.
struct LogAxis {
  double low, high, pixel_low, pixel_high;
  double operator()(double value) const {
    const double share = std::log(value / low) / std::log(high / low);
    return pixel_low + share * (pixel_high - pixel_low);
  }
};

constexpr std::array<double, 3> kSteps = {1, 2, 5};

std::vector<double> round_numbers(double low, double high) {
  std::vector<double> numbers;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
    for (const double step : kSteps) numbers.push_back(step * decade);
  }
  return numbers;
}

LogAxis axis_over(double low, double high, double pixel_low, double pixel_high) {
  const std::vector<double> numbers = round_numbers(low / 1.05, 10 * high);
  double below = numbers.front(), above = numbers.back();
  for (const double number : numbers) {
    if (number <= low / 1.02) below = number;
  }
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
    if (*number >= high * 1.02) above = *number;
  }
  return {below, above, pixel_low, pixel_high};
}

// All round numbers of a short axis, only decades of a long one.
std::vector<double> ticks(const LogAxis& axis) {
  std::vector<double> result;
  const bool is_long = axis.high / axis.low > 1e3;
  for (const double number : round_numbers(axis.low, axis.high * 1.001)) {
    const double mantissa = number / std::pow(10, std::floor(std::log10(number) + 1e-9));
    if (number < axis.low / 1.001 || number > axis.high * 1.001 || (is_long && mantissa > 1.5)) continue;
    result.push_back(number);
  }
  return result;
}

std::string tick_label(double value) {
  if (value >= 1e6 || value < 1e-3) return fmt::format("{:.0e}", value);
  return fmt::format("{:g}", value);
}

bool drawable(const Dot& dot) {
  return std::isfinite(dot.x) && std::isfinite(dot.y) && dot.x > 0 && dot.y > 0;
}

std::string frame(const LogPlot& plot, const LogAxis& x, const LogAxis& y) {
  std::string out;
  for (const double tick : ticks(x)) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/><text "
        "x=\"{0:.1f}\" "
        "y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
        x(tick), y.pixel_high, y.pixel_low, y.pixel_low + 18, tick_label(tick));
  }
  for (const double tick : ticks(y)) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{1:.1f}\" x2=\"{2:.1f}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/><text "
        "x=\"{3:.1f}\" "
        "y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
        y(tick), x.pixel_low, x.pixel_high, x.pixel_low - 7, y(tick) + 4, tick_label(tick));
  }
  const double middle = (y.pixel_low + y.pixel_high) / 2;
  out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                     (x.pixel_low + x.pixel_high) / 2, kHeight - 10, tools::escaped(plot.x_label));
  out += fmt::format(
      "<text x=\"16\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0:.1f})\">{1}</text>\n",
      middle, tools::escaped(plot.y_label));
  return out;
}

std::string drawn(const LogSeries& series, const char* color, const LogAxis& x, const LogAxis& y) {
  std::string out, path;
  for (const Dot& dot : series.dots) {
    if (!drawable(dot)) continue;
    path += fmt::format("{:.1f},{:.1f} ", x(dot.x), y(dot.y));
    if (series.line) continue;
    out += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"{}\" "
        "fill-opacity=\"0.75\"><title>{}</title></circle>\n",
        x(dot.x), y(dot.y), color, tools::escaped(dot.name));
  }
  if (series.line)
    out += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path,
                       color);
  return out;
}

std::string legend(const LogPlot& plot) {
  std::string out;
  double at = kLeft;
  for (size_t i = 0; i < plot.series.size(); ++i) {
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"36\" width=\"12\" height=\"12\" fill=\"{}\"/><text x=\"{:.1f}\" "
        "y=\"46\">{}</text>\n",
        at, tools::kPlotColors[i % tools::kPlotColors.size()], at + 17, tools::escaped(plot.series[i].name));
    at += 34 + kLetter * static_cast<double>(plot.series[i].name.size());
  }
  return out;
}

std::string opened(double height, const std::string& title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "role=\"img\" aria-label=\"{2}\">\n<text class=\"title\" x=\"{3:.0f}\" y=\"22\">{2}</text>\n",
      kWidth, height, tools::escaped(title), 12.0);
}

}  // namespace

std::string svg(const LogPlot& plot) {
  double low_x = std::numeric_limits<double>::infinity(), low_y = low_x, high_x = 0, high_y = 0;
  for (const LogSeries& series : plot.series) {
    for (const Dot& dot : series.dots) {
      if (!drawable(dot)) continue;
      low_x = std::min(low_x, dot.x), high_x = std::max(high_x, dot.x);
      low_y = std::min(low_y, dot.y), high_y = std::max(high_y, dot.y);
    }
  }
  std::string out = opened(kHeight, plot.title);
  if (high_x == 0)
    return out + fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">no data yet</text></svg>\n", kLeft, kTop);
  const LogAxis x = axis_over(low_x, high_x, kLeft, kWidth - kRight),
                y = axis_over(low_y, high_y, kHeight - kBottom, kTop);
  out += frame(plot, x, y);
  for (size_t i = 0; i < plot.series.size(); ++i)
    out += drawn(plot.series[i], tools::kPlotColors[i % tools::kPlotColors.size()], x, y);
  return out + legend(plot) + "</svg>\n";
}

std::string svg(const BarChart& chart) {
  constexpr double kBar = 22, kGap = 4, kFirst = 40;
  double most = chart.mark, names = 0, texts = 0;
  for (const Bar& bar : chart.bars) {
    if (std::isfinite(bar.value)) most = std::max(most, bar.value);
    names = std::max(names, kLetter * static_cast<double>(bar.name.size()));
    texts = std::max(texts, kLetter * static_cast<double>(bar.text.size()));
  }
  const double left = std::min(names + 20, 0.65 * kWidth),
               scale = (kWidth - left - std::min(texts + 20, kWidth / 3)) / (most > 0 ? most : 1);
  const double bottom = kFirst + (kBar + kGap) * static_cast<double>(chart.bars.size());
  std::string out = opened(bottom + 10, chart.title);
  for (size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    const double top = kFirst + (kBar + kGap) * static_cast<double>(i);
    const double length = std::isfinite(bar.value) ? scale * bar.value : 0;
    const char* const color =
        chart.mark > 0 && bar.value < chart.mark ? tools::kPlotColors[1] : tools::kPlotColors[0];
    out += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text><rect x=\"{:.1f}\" y=\"{:.1f}\" "
        "width=\"{:.1f}\" "
        "height=\"{}\" fill=\"{}\"/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        left - 8, top + 16, tools::escaped(bar.name), left, top, length, kBar, color, left + length + 7,
        top + 16, tools::escaped(bar.text));
  }
  if (chart.mark > 0) {
    out += fmt::format("<line class=\"mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2:.1f}\"/>\n",
                       left + scale * chart.mark, kFirst - 6, bottom);
  }
  return out + "</svg>\n";
}

}  // namespace xf::bench
