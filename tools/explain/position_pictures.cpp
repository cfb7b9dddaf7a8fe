// The table of positions as a heat map, and some of its columns as curves.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tools/explain/positions.h"
#include "tools/report/html_page.h"
#include "tools/report/svg_plot.h"

namespace xf::tools::explain {

namespace {

constexpr double kLeft = 64, kRight = 190, kTop = 40,
                 kBottom = 52;  // margins around cells and curves, pixels
constexpr double kCurvesHeight = 200;
constexpr int kLevels = 20;  // of colour on each side of zero: more than the eye tells apart

double cell_width(const Positions& positions) {
  return std::clamp(800 / static_cast<double>(positions.dim()), 2.0, 14.0);
}
double cell_height(const Positions& positions) {
  return std::clamp(400 / static_cast<double>(positions.length()), 2.0, 14.0);
}
double plot_width(const Positions& positions) {
  return cell_width(positions) * static_cast<double>(positions.dim());
}
double map_height(const Positions& positions) {
  return kTop + cell_height(positions) * static_cast<double>(positions.length()) + kBottom;
}
double page_width(const Positions& positions) {
  return kLeft + std::max(plot_width(positions), 240.0) + kRight;
}

// One path for each level of colour: a table of 256 x 512 stays a file of moderate size.
void draw_cells(Drawing& drawing, double x, double y, const Positions& positions) {
  std::array<std::string, 2 * kLevels + 1> paths;
  for (int64_t j = 0; j < positions.length(); ++j) {
    for (int64_t c = 0; c < positions.dim(); ++c) {
      const auto level = static_cast<size_t>(std::lround(positions.at(j, c) * kLevels) + kLevels);
      paths[level] += fmt::format("M{} {}h1v1h-1z", c, j);
    }
  }
  drawing.add(
      fmt::format(R"svg(<g shape-rendering="crispEdges" transform="translate({} {}) scale({:g} {:g})">)svg",
                  x, y, cell_width(positions), cell_height(positions)));
  for (size_t level = 0; level < paths.size(); ++level) {
    const int value = static_cast<int>(level) - kLevels;
    if (value == 0 || paths[level].empty()) continue;
    drawing.add(fmt::format(R"(<path class="{}" fill-opacity="{:g}" d="{}"/>)",
                            value > 0 ? "data" : "negative", std::abs(value) / static_cast<double>(kLevels),
                            paths[level]));
  }
  drawing.add("</g>");
}

// What the colours mean, at the right of the map.
void draw_key(Drawing& drawing, double x, double y) {
  constexpr int kSteps = 9;
  for (int i = 0; i < kSteps; ++i) {
    const double value = 1 - 2.0 * i / (kSteps - 1), top = y + 16 * i;
    drawing.rect(x, top, 16, 16, value < 0 ? "negative" : "data", std::abs(value));
    if (i % 2 == 0) drawing.text(x + 24, top + 12, fmt::format("{:g}", value), "start", 12);
  }
}

void draw_map(Drawing& drawing, const Positions& positions) {
  const double width = cell_width(positions), height = cell_height(positions);
  const double bottom = map_height(positions) - kBottom;
  drawing.text(kLeft, 24, fmt::format("Sinusoid positions, D = {}", positions.dim()), "start", 15);
  draw_cells(drawing, kLeft, kTop, positions);
  for (const double tick : nice_ticks(0, static_cast<double>(positions.length()), 6)) {
    if (tick >= static_cast<double>(positions.length())) break;
    drawing.text(kLeft - 8, kTop + height * (tick + 0.5) + 4, fmt::format("{:g}", tick), "end", 12);
  }
  for (const double tick : nice_ticks(0, static_cast<double>(positions.dim()), 8)) {
    if (tick >= static_cast<double>(positions.dim())) break;
    drawing.text(kLeft + width * (tick + 0.5), bottom + 18, fmt::format("{:g}", tick), "middle", 12);
  }
  drawing.text(kLeft + plot_width(positions) / 2, bottom + 38, "column", "middle", 12, "soft");
  drawing.text_upwards(18, (kTop + bottom) / 2 + 24, "position", 12);
  draw_key(drawing, kLeft + plot_width(positions) + 24, kTop);
}

std::string curve_name(const Positions& positions, int64_t column) {
  return fmt::format("column {}: {}, i = {}", column, positions.is_sine(column) ? "sin" : "cos",
                     positions.pair(column));
}

void draw_curves(Drawing& drawing, double y, const Positions& positions) {
  const double width = std::max(plot_width(positions), 240.0), middle = y + kTop + kCurvesHeight / 2;
  const auto last = static_cast<double>(std::max<int64_t>(positions.length() - 1, 1));
  for (const int value : {-1, 0, 1}) {
    const double level = middle - value * kCurvesHeight / 2;
    drawing.line(kLeft, level, kLeft + width, level);
    drawing.text(kLeft - 8, level + 4, fmt::format("{}", value), "end", 12);
  }
  for (const double tick : nice_ticks(0, last, 8)) {
    if (tick > last) break;
    drawing.text(kLeft + width * tick / last, middle + kCurvesHeight / 2 + 18, fmt::format("{:g}", tick),
                 "middle", 12);
  }
  drawing.text(kLeft + width / 2, middle + kCurvesHeight / 2 + 38, "position", "middle", 12, "soft");
  for (size_t i = 0; i < positions.columns.size(); ++i) {
    const int64_t column = positions.columns[i];
    std::vector<std::pair<double, double>> points;
    for (int64_t j = 0; j < positions.length(); ++j) {
      points.emplace_back(kLeft + width * static_cast<double>(j) / last,
                          middle - positions.at(j, column) * kCurvesHeight / 2);
    }
    const std::string css_class = fmt::format("series{}", i % kPlotColors.size());
    drawing.curve(points, css_class);
    const double key = y + kTop + 18 * static_cast<double>(i);
    drawing.line(kLeft + width + 16, key, kLeft + width + 34, key, css_class);
    drawing.text(kLeft + width + 40, key + 4, curve_name(positions, column), "start", 12);
  }
}

double curves_height(const Positions& positions) {
  return kTop + std::max(kCurvesHeight, 18.0 * static_cast<double>(positions.columns.size())) + kBottom;
}

void add_series_colors(Drawing& drawing) {
  for (size_t i = 0; i < kPlotColors.size(); ++i) {
    drawing.style(fmt::format(".series{} {{ stroke: {}; stroke-width: 1.5; }}\n", i, kPlotColors[i]));
  }
}

}  // namespace

std::string to_svg(const Positions& positions) {
  Drawing drawing(page_width(positions), map_height(positions) + curves_height(positions),
                  "Sinusoid positions");
  add_series_colors(drawing);
  draw_map(drawing, positions);
  draw_curves(drawing, map_height(positions), positions);
  return drawing.svg();
}

std::string to_html(const Positions& positions) {
  HtmlPage page("Sinusoid positions");
  page.paragraph(
      fmt::format("What is added to the embedding of the token at position j (EM3): "
                  "a sine and a cosine for each of {} wavelengths, from {:.3g} to {:.6g} positions. "
                  "The fast ones tell neighbours apart, the slow ones far from near.",
                  positions.dim() / 2, 2 * std::numbers::pi, positions.wavelength(positions.dim() - 1)));
  Drawing map(page_width(positions), map_height(positions), "Heat map of the sinusoid positions");
  draw_map(map, positions);
  page.figure(map, "");
  Drawing curves(page_width(positions), curves_height(positions), "Columns of the table against position");
  add_series_colors(curves);
  draw_curves(curves, 0, positions);
  page.figure(curves, "");
  std::vector<std::string> head = {"position"};
  for (const int64_t column : positions.columns) head.push_back(curve_name(positions, column));
  std::vector<std::vector<std::string>> rows;
  for (int64_t j = 0; j < positions.length(); ++j) {
    rows.push_back({fmt::format("{}", j)});
    for (const int64_t column : positions.columns)
      rows.back().push_back(fmt::format("{:.6f}", positions.at(j, column)));
  }
  page.open_details("These columns in numbers", false);
  page.table(head, rows);
  page.close_details();
  return page.html();
}

}  // namespace xf::tools::explain
