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

}  // namespace

void write_curves(const std::string& run) {
  Curves curves;
  std::ifstream file(run + "/metrics.jsonl");
  for (std::string text; std::getline(file, text);) {
    try {
      read_line(nlohmann::json::parse(text), curves);
    } catch (const nlohmann::json::exception&) {  // half a line that a full disk left, or somebody's own
    }
  }
  try {
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
  } catch (const Error&) {
  }
}

}  // namespace xf::tools
