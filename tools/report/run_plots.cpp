#include "tools/report/run_plots.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace xf::tools {

namespace {

constexpr size_t kMostPoints = 400;    // of a curve: more than one a pixel column or two shows
                                       // nothing new
constexpr size_t kMostMarkers = 60;    // more would be a thick line
constexpr size_t kNoisyFrom = 20;      // points; of fewer a mean hides more than it shows
constexpr size_t kMeansInCurve = 40;   // windows of the moving mean beside each other
constexpr double kHighPerplexity = 8;  // times the lowest: what is above lies in the first updates

Plot by_update(std::string title, std::string y_label) {
  return {.title = std::move(title),
          .x_label = "update",
          .y_label = std::move(y_label),
          .series = {},
          .marks = {}};
}

void add(Plot& plot, PlotSeries series) {
  if (!series.points.empty()) plot.series.push_back(std::move(series));
}

void add(Plot& plot, std::vector<PlotSeries> several) {
  for (PlotSeries& series : several) add(plot, std::move(series));
}

Plot report_plot(const RunMetrics& metrics, double TrainRecord::*value, std::string title,
                 std::string y_label) {
  Plot plot = by_update(std::move(title), std::move(y_label));
  add(plot, noisy_series("training", reports_of(metrics, value)));
  return plot;
}

bool smooths_labels(const RunMetrics& metrics) {
  return std::ranges::any_of(metrics.training, [](const TrainRecord& record) {
    return std::abs(record.smoothed - record.plain) > 1e-6 * record.plain;
  });
}

std::vector<PlotPoint> mapped(std::vector<PlotPoint> points, double (*function)(double)) {
  for (PlotPoint& point : points) point.y = function(point.y);
  return points;
}

// Loss and perplexity of the validations: each tells the other.
std::vector<PlotPoint> validation_losses(const RunMetrics& metrics) {
  const std::vector<PlotPoint> losses = scores_of(metrics, "ce-mean-words");
  return losses.empty() ? mapped(scores_of(metrics, "perplexity"), std::log) : losses;
}

// Of all series together, so that none is cut before the others.
void leave_out_high(std::vector<PlotPoint>& one, std::vector<PlotPoint>& other) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const auto* points : {&one, &other})
    for (const PlotPoint& point : *points) lowest = std::min(lowest, point.y);
  for (auto* points : {&one, &other})
    std::erase_if(*points, [&](const PlotPoint& point) { return point.y > kHighPerplexity * lowest; });
}

}  // namespace

std::string metric_title(const std::string& metric) {
  static const std::map<std::string, std::string> titles = {
      {"bleu", "BLEU"}, {"chrf", "chrF2"}, {"tutorial-bleu", "tutorial-BLEU"}, {"macro-f1", "macro-F1"}};
  const auto found = titles.find(metric);
  return found == titles.end() ? metric : found->second;
}

std::vector<PlotPoint> scores_of(const RunMetrics& metrics, const std::string& metric) {
  std::vector<PlotPoint> points;
  for (const ScoreRecord& record : metrics.scores) {
    if (record.metric == metric) points.push_back({static_cast<double>(record.update), record.score});
  }
  return points;
}

std::vector<PlotPoint> reports_of(const RunMetrics& metrics, double TrainRecord::*value) {
  std::vector<PlotPoint> points;
  for (const TrainRecord& record : metrics.training) {
    if (std::isfinite(record.*value)) points.push_back({record.update, record.*value});
  }
  return points;
}

PlotSeries measured_series(const std::string& name, const std::vector<PlotPoint>& points) {
  return {name, thinned(points, kMostPoints), points.size() <= kMostMarkers};
}

std::vector<PlotSeries> noisy_series(const std::string& name, const std::vector<PlotPoint>& points) {
  if (points.size() < kNoisyFrom) return {{name, points}};
  const std::vector<PlotPoint> means = moving_mean(points, points.size() / kMeansInCurve + 2);
  return {{name, thinned(points, kMostPoints), false, true}, {name, thinned(means, kMostPoints)}};
}

Plot loss_plot(const RunMetrics& metrics) {
  Plot plot = by_update("Loss", "nats per target token");
  if (smooths_labels(metrics)) {
    plot.title = "Loss (plain losses are comparable)";
    add(plot,
        {"training, labels smoothed", thinned(reports_of(metrics, &TrainRecord::smoothed), kMostPoints)});
  }
  add(plot, noisy_series("training, plain", reports_of(metrics, &TrainRecord::plain)));
  add(plot, measured_series("validation, plain", validation_losses(metrics)));
  return plot;
}

Plot perplexity_plot(const RunMetrics& metrics) {
  Plot plot = by_update("Perplexity", "of a target token");
  std::vector<PlotPoint> training = mapped(reports_of(metrics, &TrainRecord::plain), std::exp);
  std::vector<PlotPoint> validation = mapped(validation_losses(metrics), std::exp);
  leave_out_high(training, validation);
  add(plot, noisy_series("training", training));
  add(plot, measured_series("validation", validation));
  return plot;
}

Plot score_plot(const RunMetrics& metrics) {
  Plot plot = by_update("Validation scores", "");
  for (const char* metric : {"bleu", "chrf", "tutorial-bleu", "accuracy", "macro-f1"}) {
    const std::vector<PlotPoint> points = scores_of(metrics, metric);
    if (points.empty()) continue;
    plot.y_label += (plot.y_label.empty() ? "" : ", ") + metric_title(metric);
    const PlotPoint best = *std::ranges::max_element(points, {}, &PlotPoint::y);
    plot.marks.push_back({best, ""});  // its number is in the legend, where curves do not cross it
    add(plot, measured_series(fmt::format("{}, best {:.2f}", metric_title(metric), best.y), points));
  }
  return plot;
}

Plot rate_plot(const RunMetrics& metrics) {
  Plot plot = by_update("Learning rate", "");
  add(plot, {"training", thinned(reports_of(metrics, &TrainRecord::learn_rate), kMostPoints)});
  return plot;
}

Plot norm_plot(const RunMetrics& metrics) {
  return report_plot(metrics, &TrainRecord::gradient_norm, "Gradient norm", "of the token mean");
}

Plot speed_plot(const RunMetrics& metrics) {
  return report_plot(metrics, &TrainRecord::tokens_per_second, "Speed", "target tokens a second");
}

Plot memory_plot(const RunMetrics& metrics) {
  Plot plot = by_update("Memory", "MB, the peak so far");
  add(plot, {"training", thinned(reports_of(metrics, &TrainRecord::memory_mb), kMostPoints)});
  return plot;
}

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
