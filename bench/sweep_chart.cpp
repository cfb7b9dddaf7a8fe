#include "bench/sweep_chart.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace xf::bench {

namespace {

// What rows of a plot have in common: "layer_norm_forward N=4096".
std::string title_of(const Row& row, size_t varied) {
  std::string variant = row.shape.substr(std::min(row.shape.find(' '), row.shape.size()));
  std::string title = row.fn + variant + (row.dtype == "f32" ? "" : " " + row.dtype);
  for (size_t i = 0; i < row.extents.size(); ++i) {
    if (i != varied) title += fmt::format(" {}={}", row.extents[i].first, row.extents[i].second);
  }
  return title;
}

tools::Plot plot_of(const std::string& title, const std::string& axis, size_t varied,
                    const std::vector<const Row*>& rows) {
  tools::PlotSeries floor{"floor", {}}, ours{"ours", {}}, theirs{rows.front()->baseline, {}};
  for (const Row* const row : rows) {
    const auto x = static_cast<double>(row->extents[varied].second);
    if (std::isfinite(row->floor_s)) floor.points.push_back({x, 1e6 * row->floor_s});
    ours.points.push_back({x, 1e6 * row->median()});
    if (std::isfinite(row->baseline_s)) theirs.points.push_back({x, 1e6 * row->baseline_s});
  }
  tools::Plot plot{.title = title,
                   .x_label = axis,
                   .y_label = "us",
                   .series = {floor, ours},
                   .marks = {},
                   .scale = tools::Scale::logarithmic};
  if (!theirs.points.empty()) plot.series.push_back(theirs);
  return plot;
}

}  // namespace

std::vector<tools::Plot> sweep_plots(const Results& run) {
  constexpr size_t kFewest = 3;  // points
  size_t sizes = 0;
  for (const Row& row : run.rows) sizes = std::max(sizes, row.extents.size());
  std::vector<tools::Plot> plots;
  for (size_t varied = 0; varied < sizes; ++varied) {
    std::map<std::string, std::vector<const Row*>> groups;
    for (const Row& row : run.rows) {
      if (row.ran() && varied < row.extents.size()) groups[title_of(row, varied)].push_back(&row);
    }
    for (const auto& [title, rows] : groups) {
      if (rows.size() >= kFewest)
        plots.push_back(plot_of(title, rows.front()->extents[varied].first, varied, rows));
    }
  }
  return plots;
}

}  // namespace xf::bench
