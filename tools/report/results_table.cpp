#include "tools/report/results_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "nn/checkpoint/checkpoint.h"
#include "tools/config/training_options.h"
#include "tools/console/progress.h"
#include "tools/report/run_metrics.h"
#include "tools/setup/read_training_options.h"
#include "tools/setup/task_data.h"

namespace xf::tools {

namespace {

using Cells = std::array<std::string, 5>;

constexpr size_t kParameters = 1, kScore = 4;  // columns of numbers
const Cells kHeads = {"model", "parameters", "measured on", "metric", "score"};

std::string metric_name(const std::string& metric, const std::string& signature, int64_t beam,
                        bool averaged) {
  std::vector<std::string> how;
  if (averaged) how.push_back("averaged model");
  if (metric == "bleu" || metric == "chrf") how.push_back(fmt::format("beam {}", beam));
  if (metric == "tutorial-bleu") how.push_back("teacher-forced");
  for (std::string& key : scoring_keys(signature)) how.push_back(std::move(key));
  return how.empty() ? metric : fmt::format("{} ({})", metric, fmt::join(how, ", "));
}

bool wanted(const ScoreRecord& record, const std::vector<std::string>& metrics) {
  if (metrics.empty()) return record.chooses;
  return std::ranges::find(metrics, record.metric) != metrics.end();
}

Cells cells_of(const ResultRow& row) {
  return {row.model, grouped(row.parameters), row.data_set, row.metric, score_text(row.metric, row.score)};
}

}  // namespace

std::vector<ResultRow> result_rows(const std::string& run, const std::vector<std::string>& metrics) {
  const std::string path = nn::training_config_path(run);
  const TrainingOptions options = training_options_from_toml(read_regular_file(path), path);
  return result_rows(run, options, read_run_metrics(run), metrics);
}

std::vector<ResultRow> result_rows(const std::string& run, const TrainingOptions& options,
                                   const RunMetrics& measured, const std::vector<std::string>& metrics) {
  const int64_t best = measured.best_update();
  if (best < 0) fail(ErrorKind::data, "{}: nothing was validated; train it with --valid-sets", run);
  ResultRow row;
  row.model = fmt::format("{} ({})", run, options.task);
  row.data_set = text_name(options.data.valid_sets);
  row.parameters = measured.number("parameters");
  std::vector<ResultRow> rows;
  for (const ScoreRecord& record : measured.scores) {
    if (record.update != best || !wanted(record, metrics)) continue;
    row.metric = metric_name(record.metric, record.signature, options.validation.valid_beam_size, false);
    row.score = record.score;
    rows.push_back(row);
  }
  const auto add_final = [&](const AveragedRecord& record) {
    row.metric = metric_name(record.metric, record.signature, record.beam, true);
    row.score = record.score;
    rows.push_back(row);
  };
  if (metrics.empty()) {
    if (measured.averaged) add_final(*measured.averaged);
    for (const TestRecord& test : measured.tests) {
      row.data_set = test.set;
      add_final(test.measured);
    }
  }
  if (rows.empty()) {
    fail(ErrorKind::data, "{}: has not measured {}; its --valid-metrics are {}", run, fmt::join(metrics, " "),
         options_of(options).at("valid-metrics").text());
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
