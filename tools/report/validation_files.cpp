#include "tools/report/validation_files.h"
#include "tools/config/stored_metrics.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "core/number_text.h"
#include "tools/console/message.h"
#include "tools/report/run_progress.h"

namespace xf::tools {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSample = "sentence-", kTable = ".tsv";

std::string table_of(const std::string& run) { return run + "/valid.tsv"; }
std::string samples_of(const std::string& run) { return run + "/samples"; }
std::string path_of(const std::string& run, int64_t number) {
  return fmt::format("{}/{}{}{}", samples_of(run), kSample, number, kTable);
}

// The sentence that a file of samples/ is about.
std::optional<int64_t> sentence_in(const std::string& name) {
  if (!name.starts_with(kSample) || !name.ends_with(kTable)) return std::nullopt;
  return number_in<int64_t>(
      std::string_view(name).substr(kSample.size(), name.size() - kSample.size() - kTable.size()));
}

std::map<int64_t, std::string> sample_paths(const std::string& run) {
  std::map<int64_t, std::string> paths;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(samples_of(run), none)) {
    if (const auto number = sentence_in(entry.path().filename().string()))
      paths[*number] = entry.path().string();
  }
  return paths;
}

// Whole lines; none where there is no file.
std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return lines;  // a pipe would be waited for
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line) && !file.eof();) lines.push_back(line);
  return lines;
}

std::string first_field(const std::string& line) { return line.substr(0, line.find('\t')); }

// Up to the first row of a later update, or to half a line at the end.
void cut_back(const std::string& path, int64_t last_update) {
  std::error_code none;
  if (!fs::exists(path, none)) return;
  int64_t bytes = 0;
  for (const std::string& line : lines_of(path)) {
    const auto update = number_in<int64_t>(first_field(line));
    if (update && *update > last_update) break;
    bytes += std::ssize(line) + 1;
  }
  const LogFile cut(path, bytes);
}

std::string field(std::string text) {
  std::ranges::replace(text, '\t', ' ');
  return text;
}

}  // namespace

ValidationFiles::ValidationFiles(std::string run, int64_t last_update) : run_(std::move(run)) {
  cut_back(table_of(run_), last_update);
  std::error_code none;
  if (!fs::is_symlink(samples_of(run_), none)) {
    for (const auto& [number, path] : sample_paths(run_)) cut_back(path, last_update);
  }
  for (const std::string& line : lines_of(table_of(run_))) {
    if (!number_in<int64_t>(first_field(line))) header_ = line;
  }
}

bool ValidationFiles::recorded(int64_t n) {
  int64_t every = 1;
  while (n / every >= 128) every *= 2;
  return n % every == 0;
}

void ValidationFiles::add(const nn::TrainingState& state, const ValidationResult& result, bool best) {
  add_row(state, result, best);
  if (result.samples.empty() || !recorded(state.validations)) return;
  std::error_code none;
  fs::create_directory(samples_of(run_), none);
  if (fs::is_symlink(samples_of(run_), none)) {
    if (!std::exchange(told_of_link_, true))
      tell("warning: {}: is a link, which is not followed for writing; the sentences are not stored",
           samples_of(run_));
    return;
  }
  for (const Sample& sample : result.samples) add_sample(state.update, sample);
}

// Other metrics, from a resume on, begin with a header of their own.
void ValidationFiles::add_row(const nn::TrainingState& state, const ValidationResult& result, bool best) {
  std::string header = "update\tepoch\tseconds";
  std::string row = fmt::format("{}\t{}\t{:.1f}", state.update, epoch_of(state), state.seconds);
  for (const nn::MetricScore& score : result.scores) {
    header += "\t" + stored_metric(score.metric);
    row += fmt::format("\t{:.4f}", score.value);
  }
  header += "\tbest";
  row += best ? "\t1" : "\t0";
  if (!table_) table_ = std::make_unique<LogFile>(table_of(run_), kKeepAll);
  if (header != header_) table_->line(header);
  table_->line(row);
  header_ = header;
}

// Another validation text has other sentences under the same numbers: their files begin anew.
void ValidationFiles::add_sample(int64_t update, const Sample& sample) {
  std::unique_ptr<LogFile>& file = samples_[sample.number];
  if (!file) {
    const std::string path = path_of(run_, sample.number);
    const std::vector<std::string> head = {"source\t" + field(sample.source),
                                           "reference\t" + field(sample.reference)};
    std::vector<std::string> there = lines_of(path);
    there.resize(2);
    file = std::make_unique<LogFile>(path, there == head ? kKeepAll : 0);
    if (there != head) std::ranges::for_each(head, [&](const std::string& line) { file->line(line); });
  }
  file->line(fmt::format("{}\t{}", update, field(sample.translation)));
}

std::map<int64_t, SampleHistory> read_samples(const std::string& run) {
  std::map<int64_t, SampleHistory> histories;
  for (const auto& [number, path] : sample_paths(run)) {
    SampleHistory& history = histories[number];
    for (const std::string& line : lines_of(path)) {
      const std::string name = first_field(line), text = line.substr(std::min(name.size() + 1, line.size()));
      if (name == "source") history.source = text;
      if (name == "reference") history.reference = text;
      if (const auto update = number_in<int64_t>(name)) history.translations.emplace_back(*update, text);
    }
  }
  return histories;
}

void remove_validation_files(const std::string& run) {
  std::error_code none;
  fs::remove(table_of(run), none);
  if (fs::is_symlink(samples_of(run), none)) return;
  for (const auto& [number, path] : sample_paths(run)) fs::remove(path, none);
  if (fs::is_empty(samples_of(run), none)) fs::remove(samples_of(run), none);
}

}  // namespace xf::tools
