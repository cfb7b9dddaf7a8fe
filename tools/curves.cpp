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

void read_line(const nlohmann::json& line, Curves& curves) {
  const std::string event = line.value("event", "");
  const double update = line.value("update", 0.0);
  if (event == "train" && line["loss"].is_number())
    curves.training.points.push_back({update, line["loss"].get<double>()});
  if (event != "valid" || !line["score"].is_number()) return;
  const double score = line["score"].get<double>();
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
    const auto line = nlohmann::json::parse(text, nullptr, false);
    if (line.is_object()) read_line(line, curves);
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
