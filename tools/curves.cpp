#include "tools/curves.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "tools/svg_plot.h"

namespace xf::tools {

namespace {

struct Curves {
  PlotSeries training{"training (smoothed labels)", {}, false};
  PlotSeries validation{"validation", {}, true};
  PlotSeries bleu{"BLEU", {}, true}, chrf{"chrF2", {}, true};
  PlotMark best{{0, -1}, ""};
};

// Throws json::exception for a line that this program did not write.
void read_line(const nlohmann::json& line, Curves& curves) {
  const std::string event = line.value("event", "");
  const double update = line.value("update", 0.0);
  const char* const value = event == "train" ? "loss" : "score";
  if (!line.contains(value) || !line.at(value).is_number()) return;  // a NaN is a null
  const double score = line.at(value).get<double>();
  if (event == "train") curves.training.points.push_back({update, score});
  if (event != "valid") return;
  const std::string metric = line.value("metric", "");
  if (metric == "ce-mean-words") curves.validation.points.push_back({update, score});
  if (metric == "chrf") curves.chrf.points.push_back({update, score});
  if (metric != "bleu") return;
  curves.bleu.points.push_back({update, score});
  if (score > curves.best.at.y) curves.best = {{update, score}, fmt::format("{:.2f}", score)};
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

void draw(const std::string& run, const Curves& curves) {
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
