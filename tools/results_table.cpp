#include "tools/results_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "core/json_depth.h"
#include "data/text_file.h"
#include "tools/option_value.h"
#include "tools/options.h"
#include "tools/progress.h"

namespace xf::tools {

namespace {

using nlohmann::json;
using Cells = std::array<std::string, 5>;

constexpr size_t kParameters = 1, kScore = 4;  // columns of numbers
const Cells kHeads = {"model", "parameters", "validated on", "metric", "score"};

// Lines that are not ours, half a line that a full disk left, are passed over.
std::vector<json> read_metrics(const std::string& run) {
  std::vector<json> lines;
  for (const std::string& text : data::read_raw_lines(run + "/metrics.jsonl")) {
    json line = is_too_deep_json(text) ? json() : json::parse(text, nullptr, false);
    if (line.is_object() && line.contains("event")) lines.push_back(std::move(line));
  }
  return lines;
}

// "a/val.en" and "a/val.de" are "a/val.en-de".
std::string name_of(const std::vector<std::string>& paths) {
  if (paths.size() != 2) return fmt::format("{}", fmt::join(paths, " "));
  const std::filesystem::path source(paths[0]), target(paths[1]);
  const bool same =
      std::filesystem::path(source).replace_extension() == std::filesystem::path(target).replace_extension();
  if (!same || target.extension().empty()) return paths[0] + " " + paths[1];
  return paths[0] + "-" + target.extension().string().substr(1);
}

// "case:lc" and "tok:13a" of BLEU's signature: scores that differ in one of them cannot be compared.
std::vector<std::string> keys_of(const json& line) {
  std::vector<std::string> keys;
  for (const std::string& key : split(line.value("signature", ""), '|')) {
    if (key.starts_with("case:") || key.starts_with("tok:")) keys.push_back(key);
  }
  return keys;
}

std::string metric_name(const json& line, int64_t beam) {
  const std::string metric = line.at("metric").get<std::string>();
  std::vector<std::string> how;
  if (line.at("event") == "averaged") how.push_back("averaged model");
  if (metric == "bleu" || metric == "chrf") how.push_back(fmt::format("beam {}", beam));
  if (metric == "compat-bleu") how.push_back("along the reference");
  for (std::string& key : keys_of(line)) how.push_back(std::move(key));
  return how.empty() ? metric : fmt::format("{} ({})", metric, fmt::join(how, ", "));
}

bool is_score(const json& line, const char* event) {
  return line.at("event") == event && line.contains("metric") && line.contains("score") &&
         line.at("score").is_number();
}

// The update whose checkpoint is the best.
int64_t best_update(const std::vector<json>& lines, const std::string& run) {
  int64_t update = -1;
  for (const json& line : lines) {
    if (is_score(line, "valid") && line.value("best", false)) update = line.value("update", int64_t{0});
  }
  if (update < 0) fail(ErrorKind::data, "{}: nothing was validated; train it with --valid-sets", run);
  return update;
}

bool wanted(const json& line, const std::vector<std::string>& metrics) {
  if (metrics.empty()) return line.contains("best");  // the one that chooses has it
  return std::ranges::find(metrics, line.at("metric").get<std::string>()) != metrics.end();
}

Cells cells_of(const ResultRow& row) {
  const bool is_loss = row.metric.starts_with("ce-") || row.metric.find("perplexity") != std::string::npos;
  return {row.model, grouped(row.parameters), row.data_set, row.metric,
          fmt::format("{:.{}f}", row.score, is_loss ? 4 : 2)};
}

}  // namespace

std::vector<ResultRow> result_rows(const std::string& run, const std::vector<std::string>& metrics) {
  const Options options =
      options_from_toml(Program::train, read_file(run + "/config.toml"), run + "/config.toml");
  const std::vector<json> lines = read_metrics(run);
  const int64_t best = best_update(lines, run);
  ResultRow row;
  row.model = fmt::format("{} ({})", run, options.get_string("task"));
  row.data_set = name_of(options.get_strings("valid-sets"));
  std::vector<ResultRow> rows;
  const auto add = [&](const json& line, int64_t beam) {
    row.metric = metric_name(line, beam);
    row.score = line.at("score").get<double>();
    rows.push_back(row);
  };
  for (const json& line : lines) {
    if (line.at("event") == "begin") row.parameters = line.value("parameters", int64_t{0});
    if (is_score(line, "valid") && line.value("update", int64_t{0}) == best && wanted(line, metrics))
      add(line, options.get_int("valid-beam-size"));
    if (is_score(line, "averaged") && metrics.empty()) add(line, line.value("beam", int64_t{0}));
  }
  if (rows.empty()) {
    fail(ErrorKind::data, "{}: has not measured {}; its --valid-metrics are {}", run, fmt::join(metrics, " "),
         options.text_of("valid-metrics"));
  }
  return rows;
}

std::string results_as_text(const std::vector<ResultRow>& rows) {
  std::vector<Cells> table = {kHeads};
  for (const ResultRow& row : rows) table.push_back(cells_of(row));
  std::array<size_t, std::tuple_size_v<Cells>> widths{};
  for (const Cells& cells : table) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const Cells& cells : table) {
    for (size_t i = 0; i < cells.size(); ++i) {
      const bool number = i == kParameters || i == kScore;
      text +=
          number ? fmt::format("{:>{}}", cells[i], widths[i]) : fmt::format("{:<{}}", cells[i], widths[i]);
      text += i + 1 < cells.size() ? "  " : "\n";
    }
  }
  return text;
}

std::string results_as_markdown(const std::vector<ResultRow>& rows) {
  std::string text = fmt::format("| {} |\n|---|--:|---|---|--:|\n", fmt::join(kHeads, " | "));
  for (const ResultRow& row : rows) text += fmt::format("| {} |\n", fmt::join(cells_of(row), " | "));
  return text;
}

}  // namespace xf::tools
