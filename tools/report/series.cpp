#include "tools/report/series.h"

#include <algorithm>

namespace xf::tools {

std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, size_t most) {
  if (points.size() <= most) return points;
  const size_t inner = points.size() - 2, stretches = (most - 2) / 2;
  std::vector<PlotPoint> kept = {points.front()};
  for (size_t stretch = 0; stretch < stretches; ++stretch) {
    const auto at = [&](size_t end) {
      return points.begin() + 1 + static_cast<std::ptrdiff_t>(end * inner / stretches);
    };
    const auto [low, high] = std::minmax_element(
        at(stretch), at(stretch + 1), [](const PlotPoint& a, const PlotPoint& b) { return a.y < b.y; });
    kept.push_back(*std::min(low, high));
    if (low != high) kept.push_back(*std::max(low, high));
  }
  kept.push_back(points.back());
  return kept;
}

std::vector<PlotPoint> moving_mean(const std::vector<PlotPoint>& points, size_t window) {
  std::vector<double> sums = {0};  // of the points before each
  for (const PlotPoint& point : points) sums.push_back(sums.back() + point.y);
  const size_t half = window / 2;
  std::vector<PlotPoint> means;
  for (size_t i = 0; i < points.size(); ++i) {
    const size_t begin = i < half ? 0 : i - half, end = std::min(i + half + 1, points.size());
    means.push_back({points[i].x, (sums[end] - sums[begin]) / static_cast<double>(end - begin)});
  }
  return means;
}

}  // namespace xf::tools
