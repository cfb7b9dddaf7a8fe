#include "tools/report/run_pictures.h"
#include "tools/config/training_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>

#include "core/file.h"
#include "tools/console/progress.h"
#include "tools/report/run_plots.h"

namespace xf::tools {

namespace {

// Of several validations in an epoch the last.
std::vector<PlotPoint> validated_by_epoch(const RunMetrics& metrics, const std::string& metric) {
  std::vector<PlotPoint> points;
  for (const ScoreRecord& record : metrics.scores) {
    if (record.metric != metric) continue;
    const auto epoch = static_cast<double>(record.epoch);
    if (!points.empty() && points.back().x == epoch) points.pop_back();
    points.push_back({epoch, record.score});
  }
  return points;
}

std::vector<PlotPoint> trained_by_epoch(const RunMetrics& metrics, const std::string& metric) {
  std::vector<PlotPoint> points;
  for (const EpochRecord& record : metrics.epochs) {
    const auto loss = record.losses.find(metric);
    if (loss != record.losses.end()) points.push_back({record.epoch, loss->second});
  }
  return points;
}

void add(Plot& plot, const std::string& name, const std::vector<PlotPoint>& points) {
  if (!points.empty()) plot.series.push_back(measured_series(name, points));
}

void write_losses_by_epoch(const std::string& run, const RunMetrics& metrics) {
  const auto is_measured = [&](const char* metric) {
    return std::ranges::find(metrics.scores, metric, &ScoreRecord::metric) != metrics.scores.end();
  };
  const bool by_batches = is_measured("ce-mean-batches") && !is_measured("ce-mean-words");
  const char* const metric = by_batches ? "ce-mean-batches" : "ce-mean-words";
  Plot plot{.title = "Training result: loss",
            .x_label = "epoch",
            .y_label = by_batches ? "nats per target token, mean of batches" : "nats per target token",
            .series = {},
            .marks = {}};
  add(plot, "training", trained_by_epoch(metrics, metric));
  add(plot, "validation", validated_by_epoch(metrics, metric));
  atomic_write(run + "/loss_by_epoch.svg", svg(plot), Existing::replaced);
}

void write_scores_by_epoch(const std::string& run, const RunMetrics& metrics) {
  Plot plot{.title = "Training result: validation scores",
            .x_label = "epoch",
            .y_label = "score",
            .series = {},
            .marks = {}};
  for (const char* metric : {"bleu", "chrf", "tutorial-bleu"})
    add(plot, metric_title(metric), validated_by_epoch(metrics, metric));
  if (plot.series.empty()) return;
  if (plot.series.size() == 1) plot.y_label = plot.series.front().name;
  atomic_write(run + "/bleu_by_epoch.svg", svg(plot), Existing::replaced);
}

}  // namespace

RunPictures::RunPictures(const TrainingOptions& options)
    : options_(options), run_(options.saving.model), reader_(run_ + "/metrics.jsonl") {}

template <typename Draw>
void RunPictures::try_to(const char* what, const Draw& draw_it, std::vector<std::string>& problems) const {
  try {
    draw_it();
  } catch (const std::exception& error) {
    problems.push_back(fmt::format("{}: {}", what, error.what()));
  }
}

void RunPictures::write_report(const RunMetrics& metrics, const RunStatus& status) const {
  if (!options_.logging.report) return;
  atomic_write(run_ + "/report.html",
               run_page({run_, options_, metrics, read_samples(run_), attention_}, status),
               Existing::replaced);
}

std::vector<std::string> RunPictures::draw(const RunStatus& status) {
  std::vector<std::string> problems;
  const RunMetrics& metrics = reader_.read();
  try_to(
      "the curves were not drawn", [&] { write_curves(run_, metrics); }, problems);
  try_to(
      "the report was not drawn", [&] { write_report(metrics, status); }, problems);
  if (metrics.foreign > 0) {
    problems.push_back(
        fmt::format("{}/metrics.jsonl: the curves leave out {} that xformer-train did not write", run_,
                    counted(metrics.foreign, "line")));
  }
  std::erase_if(problems, [&](const std::string& problem) { return !told_.insert(problem).second; });
  return problems;
}

void write_curves(const std::string& run, const RunMetrics& metrics) {
  if (!metrics.epochs.empty()) {
    write_losses_by_epoch(run, metrics);
    write_scores_by_epoch(run, metrics);
  }
  atomic_write(run + "/loss.svg", svg(loss_plot(metrics)), Existing::replaced);
  if (!scores_of(metrics, "bleu").empty())
    atomic_write(run + "/bleu.svg", svg(score_plot(metrics)), Existing::replaced);
}

}  // namespace xf::tools
