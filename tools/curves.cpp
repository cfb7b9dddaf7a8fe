#include "tools/curves.h"

#include <fmt/format.h>

#include <fstream>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "tools/svg_plot.h"

namespace xf::tools {

namespace {

// By the metric's name; x is the number of an epoch, from 1.
using EpochSeries = std::map<std::string, std::vector<PlotPoint>>;

struct Curves {
  PlotSeries training{"training (smoothed labels)", {}, false};
  PlotSeries validation{"validation", {}, true};
  PlotSeries bleu{"BLEU", {}, true}, chrf{"chrF2", {}, true};
  PlotMark best{{0, -1}, ""};
  EpochSeries trained, validated;
};

// Of several validations in an epoch the last.
void add(EpochSeries& series, const std::string& metric, double epoch, double value) {
  std::vector<PlotPoint>& points = series[metric];
  if (!points.empty() && points.back().x == epoch) points.pop_back();
  points.push_back({epoch, value});
}

void read_epoch(const nlohmann::json& line, Curves& curves) {
  for (const char* metric : {"ce-mean-words", "ce-mean-batches"}) {
    if (line.contains(metric) && line.at(metric).is_number())
      add(curves.trained, metric, line.value("epoch", 0.0), line.at(metric).get<double>());
  }
}

void read_validation(const nlohmann::json& line, double score, Curves& curves) {
  const double update = line.value("update", 0.0);
  const std::string metric = line.value("metric", "");
  add(curves.validated, metric, line.value("epoch", 0.0), score);
  if (metric == "ce-mean-words") curves.validation.points.push_back({update, score});
  if (metric == "chrf") curves.chrf.points.push_back({update, score});
  if (metric != "bleu") return;
  curves.bleu.points.push_back({update, score});
  if (score > curves.best.at.y) curves.best = {{update, score}, fmt::format("{:.2f}", score)};
}

// Throws json::exception for a line that this program did not write.
void read_line(const nlohmann::json& line, Curves& curves) {
  const std::string event = line.value("event", "");
  if (event == "epoch") return read_epoch(line, curves);
  const char* const value = event == "train" ? "loss" : "score";
  if (!line.contains(value) || !line.at(value).is_number()) return;  // a NaN is a null
  const double score = line.at(value).get<double>();
  if (event == "train") curves.training.points.push_back({line.value("update", 0.0), score});
  if (event == "valid") read_validation(line, score, curves);
}

// How many lines are not ours: half a line that a full disk left, or somebody's own.
int64_t read_metrics(const std::string& path, Curves& curves) {
  int64_t foreign = 0;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    try {
      read_line(nlohmann::json::parse(text), curves);
    } catch (const nlohmann::json::exception&) {
      ++foreign;
    }
  }
  return foreign;
}

// The series of those metrics that were measured.
std::vector<PlotSeries> measured(const EpochSeries& all,
                                 std::initializer_list<std::pair<const char*, const char*>> names) {
  std::vector<PlotSeries> series;
  for (const auto& [metric, name] : names) {
    const auto found = all.find(metric);
    if (found != all.end()) series.push_back({name, found->second, true});
  }
  return series;
}

void draw_losses_by_epoch(const std::string& run, const Curves& curves) {
  const bool by_batches =
      curves.validated.contains("ce-mean-batches") && !curves.validated.contains("ce-mean-words");
  const char* const metric = by_batches ? "ce-mean-batches" : "ce-mean-words";
  std::vector<PlotSeries> series = measured(curves.trained, {{metric, "training"}});
  for (PlotSeries& validation : measured(curves.validated, {{metric, "validation"}}))
    series.push_back(std::move(validation));
  atomic_write(
      run + "/loss_by_epoch.svg",
      svg({.title = "Training result: loss",
           .x_label = "epoch",
           .y_label = by_batches ? "nats per target token, mean of batches" : "nats per target token",
           .series = std::move(series),
           .marks = {}}));
}

void draw_by_epoch(const std::string& run, const Curves& curves) {
  if (curves.trained.empty()) return;
  draw_losses_by_epoch(run, curves);
  std::vector<PlotSeries> scores =
      measured(curves.validated, {{"bleu", "BLEU"}, {"chrf", "chrF2"}, {"compat-bleu", "compat-BLEU"}});
  if (scores.empty()) return;
  const std::string label = scores.size() == 1 ? scores.front().name : "score";
  atomic_write(run + "/bleu_by_epoch.svg", svg({.title = "Training result: validation scores",
                                                .x_label = "epoch",
                                                .y_label = label,
                                                .series = std::move(scores),
                                                .marks = {}}));
}

void draw(const std::string& run, const Curves& curves) {
  draw_by_epoch(run, curves);
  atomic_write(run + "/loss.svg", svg({.title = "Loss",
                                       .x_label = "update",
                                       .y_label = "nats per target token",
                                       .series = {curves.training, curves.validation},
                                       .marks = {}}));
  if (curves.bleu.points.empty()) return;
  atomic_write(run + "/bleu.svg", svg({.title = "Validation scores",
                                       .x_label = "update",
                                       .y_label = "BLEU, chrF2",
                                       .series = {curves.bleu, curves.chrf},
                                       .marks = {curves.best}}));
}

}  // namespace

std::string write_curves(const std::string& run) {
  Curves curves;
  const int64_t foreign = read_metrics(run + "/metrics.jsonl", curves);
  try {
    draw(run, curves);
  } catch (const Error& error) {
    return fmt::format("the curves were not drawn: {}", error.what());
  }
  if (foreign == 0) return "";
  return fmt::format("{}/metrics.jsonl: the curves leave out {} lines that xformer-train did not write", run,
                     foreign);
}

}  // namespace xf::tools
