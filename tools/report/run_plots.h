// The curves of a run as plots, from its metrics. However long the run was, a curve has a few
// hundred points.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tools/report/run_metrics.h"
#include "tools/report/svg_plot.h"

namespace xf::tools {

// By update. What has not been measured is a plot without series.
Plot loss_plot(const RunMetrics& metrics);        // training as minimised, training plain,
                                                  // validation plain
Plot perplexity_plot(const RunMetrics& metrics);  // without the first, enormous ones
Plot score_plot(const RunMetrics& metrics);       // of which more is better; the best of each is
                                                  // marked
Plot rate_plot(const RunMetrics& metrics);
Plot norm_plot(const RunMetrics& metrics);
Plot speed_plot(const RunMetrics& metrics);
Plot memory_plot(const RunMetrics& metrics);

// "BLEU" for "bleu"
std::string metric_title(const std::string& metric);

// Points (update, score) of a metric of the validations.
std::vector<PlotPoint> scores_of(const RunMetrics& metrics, const std::string& metric);
// Points (update, value) of the reports of training; those that are not finite are left out.
std::vector<PlotPoint> reports_of(const RunMetrics& metrics, double TrainRecord::*value);

// A series of separate measurements, and one of many noisy values as its mean over them, lightly
// behind it.
PlotSeries measured_series(const std::string& name, const std::vector<PlotPoint>& points);
std::vector<PlotSeries> noisy_series(const std::string& name, const std::vector<PlotPoint>& points);

// Long series as a drawing of a few hundred pixels can show them.

// At most `most` (4 or more) of the points, in order: the first, the last, and of each stretch
// between them the lowest and the highest, so that no peak is lost.
std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, size_t most);

// The mean of the points around each one, `window` of them where there are as many.
std::vector<PlotPoint> moving_mean(const std::vector<PlotPoint>& points, size_t window);

}  // namespace xf::tools
