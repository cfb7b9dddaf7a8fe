#include "tools/report/run_metrics.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_depth.h"
#include "tools/config/option.h"
#include "tools/config/stored_metrics.h"

namespace xf::tools {

namespace {

using nlohmann::json;

bool has_number(const json& line, const char* key) { return line.contains(key) && line.at(key).is_number(); }

double number_or_nan(const json& line, const char* key) {
  return has_number(line, key) ? line.at(key).get<double>() : std::numeric_limits<double>::quiet_NaN();
}

void read_begin(const json& line, RunMetrics& metrics) {
  for (const auto& [key, value] : line.items())
    metrics.begin[key] = value.is_string() ? value.get<std::string>() : value.dump();
}

// A run that has gone back takes what came after that moment back.
template <typename Record, typename Number>
void forget_from(std::vector<Record>& records, Number update) {
  while (!records.empty() && records.back().update >= update) records.pop_back();
}

void read_training(const json& line, RunMetrics& metrics) {
  TrainRecord record;
  record.update = line.value("update", 0.0);
  if (!has_number(line, "loss")) return;  // a NaN is a null
  record.epoch = line.value("epoch", 0.0);
  record.seconds = line.value("seconds", 0.0);
  record.smoothed = number_or_nan(line, "loss");
  record.plain = number_or_nan(line, "ce-mean-words");
  if (std::isnan(record.plain))
    record.plain = std::log(number_or_nan(line, "ppl"));  // as earlier versions wrote
  record.learn_rate = number_or_nan(line, "lr");
  record.gradient_norm = number_or_nan(line, "gnorm");
  record.tokens_per_second = number_or_nan(line, "tok_per_s");
  record.memory_mb = number_or_nan(line, "mem_mb");
  forget_from(metrics.training, record.update);
  metrics.training.push_back(record);
}

void read_epoch(const json& line, RunMetrics& metrics) {
  EpochRecord record;
  record.epoch = line.value("epoch", 0.0);
  for (const char* metric : {"ce-mean-words", "ce-mean-batches"})
    if (has_number(line, metric)) record.losses[metric] = line.at(metric).get<double>();
  while (!metrics.epochs.empty() && metrics.epochs.back().epoch >= record.epoch) metrics.epochs.pop_back();
  metrics.epochs.push_back(std::move(record));
}

void read_score(const json& line, RunMetrics& metrics) {
  if (!has_number(line, "score")) return;
  ScoreRecord record;
  record.update = line.value("update", int64_t{0});
  record.epoch = line.value("epoch", int64_t{0});
  record.seconds = line.value("seconds", 0.0);
  record.metric = metric_stored_as(line.value("metric", ""));
  record.score = line.at("score").get<double>();
  record.signature = line.value("signature", "");
  record.chooses = line.contains("best");
  record.best = line.value("best", false);
  forget_from(metrics.scores, record.update + 1);
  metrics.scores.push_back(std::move(record));
}

AveragedRecord final_score(const json& line) {
  return {metric_stored_as(line.value("metric", "")), line.at("score").get<double>(),
          line.value("beam", int64_t{0}), line.value("signature", "")};
}

void read_averaged(const json& line, RunMetrics& metrics) {
  if (has_number(line, "score")) metrics.averaged = final_score(line);
}

void read_test(const json& line, RunMetrics& metrics) {
  if (!has_number(line, "score")) return;
  const std::string set = line.value("set", "");
  std::erase_if(metrics.tests, [&](const TestRecord& earlier) { return earlier.set == set; });
  metrics.tests.push_back({set, final_score(line)});
}

// Throws json::exception for a line that this program did not write.
void read_line(const json& line, RunMetrics& metrics) {
  const std::string event = line.value("event", "");
  if (event == "begin") read_begin(line, metrics);
  if (event == "train") read_training(line, metrics);
  if (event == "epoch") read_epoch(line, metrics);
  if (event == "valid") read_score(line, metrics);
  if (event == "averaged") read_averaged(line, metrics);
  if (event == "test") read_test(line, metrics);
}

}  // namespace

int64_t RunMetrics::number(const std::string& field) const {
  const auto found = begin.find(field);
  return found == begin.end() ? 0 : std::strtoll(found->second.c_str(), nullptr, 10);
}

int64_t RunMetrics::best_update() const {
  int64_t update = -1;
  for (const ScoreRecord& score : scores) {
    if (score.best) update = score.update;
  }
  return update;
}

bool higher_is_better(const std::string& metric) {
  return !metric.starts_with("ce-") && metric.find("perplexity") == std::string::npos;
}

std::string score_text(const std::string& metric, double score) {
  return fmt::format("{:.{}f}", score, higher_is_better(metric) ? 2 : 4);
}

const RunMetrics& MetricsReader::read() {
  std::error_code error;
  // a pipe would be waited for
  if (!std::filesystem::is_regular_file(path_, error)) return metrics_;
  const auto size = std::filesystem::file_size(path_, error);
  if (error || static_cast<int64_t>(size) < read_) {
    metrics_ = {};
    read_ = 0;
  }
  std::ifstream file(path_, std::ios::binary);
  file.seekg(read_);
  for (std::string text; std::getline(file, text) && !file.eof();) {
    read_ += static_cast<int64_t>(text.size()) + 1;
    try {
      read_line(is_too_deep_json(text) ? json() : json::parse(text), metrics_);
    } catch (const json::exception&) {
      ++metrics_.foreign;
    }
  }
  return metrics_;
}

std::vector<std::string> scoring_keys(const std::string& signature) {
  std::vector<std::string> keys;
  for (const std::string& key : split(signature, '|')) {
    if (key.starts_with("case:") || key.starts_with("tok:") || key.starts_with("nfc:")) keys.push_back(key);
  }
  return keys;
}

RunMetrics read_run_metrics(const std::string& run) {
  const std::string path = run + "/metrics.jsonl";
  if (!std::filesystem::is_regular_file(path))
    fail(ErrorKind::data, "{}: no such file; name the folder of a run of xformer-train", path);
  return MetricsReader(path).read();
}

}  // namespace xf::tools
