#include "tools/report/run_comparison.h"
#include "tools/config/training_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "nn/checkpoint/checkpoint.h"
#include "tools/console/progress.h"
#include "tools/report/html_page.h"
#include "tools/report/results_table.h"
#include "tools/report/run_plots.h"
#include "tools/setup/read_training_options.h"

namespace xf::tools {

namespace {

constexpr int kWidth = 440, kHeight = 320;  // of a plot

struct Run {
  std::string folder, name;  // as given; without what the folders of all runs begin with
  TrainingOptions options;
  RunMetrics metrics;
};

Run read_run(const std::string& folder) {
  const std::string path = nn::training_config_path(folder);
  return {folder, folder, training_options_from_toml(read_regular_file(path), path),
          read_run_metrics(folder)};
}

// a/b/one and a/b/two are one and two.
void shorten_names(std::vector<Run>& runs) {
  for (Run& run : runs) {
    while (run.name.size() > 1 && run.name.ends_with('/')) run.name.pop_back();
  }
  size_t common = runs.front().name.rfind('/') + 1;  // 0 where there is none
  for (const Run& run : runs) {
    const auto end = std::ranges::mismatch(runs.front().name, run.name).in1 - runs.front().name.begin();
    while (common > 0 && common > static_cast<size_t>(end))
      common = runs.front().name.rfind('/', common - 2) + 1;
  }
  for (Run& run : runs) run.name.erase(0, common);
}

void add_scores(HtmlPage& page, const std::vector<Run>& runs) {
  page.heading("Scores", "scores");
  std::vector<std::vector<std::string>> rows;
  for (const Run& run : runs) {
    if (run.metrics.best_update() < 0) {
      rows.push_back({run.name, grouped(run.metrics.number("parameters")), "", "nothing was validated", ""});
      continue;
    }
    for (const ResultRow& row : result_rows(run.folder, run.options, run.metrics, {})) {
      rows.push_back(
          {run.name, grouped(row.parameters), row.data_set, row.metric, score_text(row.metric, row.score)});
    }
  }
  page.table({"run", "parameters", "validated on", "metric", "score"}, rows);
}

void add_differences(HtmlPage& page, const std::vector<Run>& runs) {
  page.heading("Differences in configuration", "configuration");
  std::vector<std::string> head = {"option"};
  for (const Run& run : runs) head.push_back(run.name);
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : options_of(runs.front().options).names(true)) {
    std::vector<std::string> row = {name};
    for (const Run& run : runs) row.push_back(options_of(run.options).at(name).text());
    const bool same =
        std::all_of(row.begin() + 1, row.end(), [&](const std::string& text) { return text == row[1]; });
    if (!same && name != "model") rows.push_back(std::move(row));
  }
  if (rows.empty()) return page.paragraph("None: the configurations are the same.");
  page.table(head, rows);
}

using SeriesOf = std::function<PlotSeries(const Run&)>;

// Nothing where no run has points.
void add_plot(HtmlPage& page, const std::vector<Run>& runs, const std::string& title,
              const std::string& x_label, const SeriesOf& series) {
  Plot plot{.title = title,
            .x_label = x_label,
            .y_label = "",
            .series = {},
            .marks = {},
            .width = kWidth,
            .height = kHeight};
  for (const Run& run : runs)
    plot.series.push_back(series(run));  // also without points: a run keeps its colour
  if (std::ranges::all_of(plot.series, [](const PlotSeries& one) { return one.points.empty(); })) return;
  page.figure(plot_drawing(plot), "");
}

// In the order in which the runs name them.
std::vector<std::string> metrics_of(const std::vector<Run>& runs) {
  std::vector<std::string> metrics;
  for (const Run& run : runs) {
    for (const ScoreRecord& record : run.metrics.scores)
      if (std::ranges::find(metrics, record.metric) == metrics.end()) metrics.push_back(record.metric);
  }
  return metrics;
}

std::vector<PlotPoint> scores_by_minute(const RunMetrics& metrics, const std::string& metric) {
  std::vector<PlotPoint> points;
  for (const ScoreRecord& record : metrics.scores)
    if (record.metric == metric) points.push_back({record.seconds / 60, record.score});
  return points;
}

void add_curves(HtmlPage& page, const std::vector<Run>& runs) {
  page.heading("Curves", "curves");
  page.paragraph(
      "Losses are in nats per target token, without label smoothing; the training loss is measured with "
      "dropout on. Noisy values are shown by their moving mean.");
  page.add("<div class=\"figures plots\">");
  const std::vector<std::string> metrics = metrics_of(runs);
  for (const std::string& metric : metrics) {
    add_plot(page, runs, "Validation: " + metric_title(metric), "update",
             [&](const Run& run) { return measured_series(run.name, scores_of(run.metrics, metric)); });
  }
  if (!metrics.empty()) {
    add_plot(page, runs, fmt::format("Validation: {}, by time", metric_title(metrics.front())), "minutes",
             [&](const Run& run) {
               return measured_series(run.name, scores_by_minute(run.metrics, metrics.front()));
             });
  }
  const std::pair<const char*, double TrainRecord::*> reports[] = {
      {"Training: plain loss", &TrainRecord::plain},
      {"Learning rate", &TrainRecord::learn_rate},
      {"Gradient norm", &TrainRecord::gradient_norm},
      {"Target tokens a second", &TrainRecord::tokens_per_second}};
  for (const auto& [title, value] : reports) {
    add_plot(page, runs, title, "update", [value = value](const Run& run) {
      return noisy_series(run.name, reports_of(run.metrics, value)).back();
    });
  }
  page.add("</div>");
}

}  // namespace

std::string comparison_page(const std::vector<std::string>& folders) {
  if (folders.size() > kPlotColors.size()) {
    fail(ErrorKind::usage, "--report compares {} runs at most, got {}: there are no more distinct colours",
         kPlotColors.size(), folders.size());
  }
  std::vector<Run> runs;
  for (const std::string& folder : folders) runs.push_back(read_run(folder));
  shorten_names(runs);
  HtmlPage page(runs.size() == 1 ? runs.front().name : fmt::format("{} runs", runs.size()));
  page.style(
      ".plots figure { width: 27.5rem; } .plots svg { width: 100%; height: auto; } "
      "td:nth-child(3), td:nth-child(4) { text-align: left; }");
  add_scores(page, runs);
  add_curves(page, runs);
  add_differences(page, runs);
  return page.html();
}

}  // namespace xf::tools
