#include "tools/app/training_phases.h"
#include "tools/config/training_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>

#include "core/file.h"
#include "nn/checkpoint/run_folder.h"
#include "tools/app/recipe_fit.h"
#include "tools/setup/read_training_options.h"
#include "tools/setup/training_method.h"

namespace xf::tools {

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr std::array kPhases = {"bidirectional", kMethodBegins};

TrainingOptions of_task(const TrainingOptions& options) {
  return training_options_from_toml(fmt::format("task = \"{}\"", options.task), "task");
}

// Nothing where it is not counted in epochs.
std::optional<double> epochs_of(const TrainingOptions& options, const char* phase) {
  const auto length = parse_training_length(options_of(options).at(phase).text());
  // a number without a unit
  if (std::string_view(phase) == "bidirectional" && length) return length->value;
  return length && length->unit == TrainingLength::Unit::epochs ? std::optional(length->value) : std::nullopt;
}

double epochs_of_task(const TrainingOptions& task) {
  double epochs = kNoLimit;
  for (const TrainingLength& after : task.stopping.after) {
    if (after.unit == TrainingLength::Unit::epochs) epochs = std::min(epochs, after.value);
  }
  return epochs;
}

void set_phase(TrainingOptions& options, const char* phase, const std::string& value) {
  options_of(options).apply({{phase, {value}, phase}}, OptionList::Origin::preset);
}

}  // namespace

double epochs_allowed(const TrainingOptions& options, const data::ParallelCorpus& corpus, int processes) {
  // with </s>
  const auto tokens = static_cast<double>(corpus.statistics.target.tokens + corpus.size());
  const double updates = estimated_updates_per_epoch(options, corpus.statistics, processes);
  double epochs = kNoLimit;
  for (const TrainingLength& after : options.stopping.after) {
    if (after.unit == TrainingLength::Unit::epochs) epochs = std::min(epochs, after.value);
    if (after.unit == TrainingLength::Unit::updates) epochs = std::min(epochs, after.value / updates);
    if (after.unit == TrainingLength::Unit::tokens) epochs = std::min(epochs, after.value / tokens);
  }
  return epochs;
}

std::string fit_phases(TrainingOptions& options, double epochs) {
  const TrainingOptions task = of_task(options);
  const double usual = epochs_of_task(task);
  if (!(epochs < usual) || usual == kNoLimit) return "";
  std::string changed;
  for (const char* phase : kPhases) {
    const auto before = epochs_of(task, phase);
    if (!before || *before == 0 || options.is_given(phase)) continue;
    const auto fitted = static_cast<int64_t>(std::floor(*before * epochs / usual));
    const bool has_unit = options_of(task).at(phase).text().ends_with('e');
    set_phase(options, phase, fmt::format("{}{}", fitted, has_unit ? "e" : ""));
    changed +=
        fmt::format("{}{} {}", changed.empty() ? "" : ", ", phase, options_of(options).at(phase).text());
  }
  if (changed.empty()) return "";
  return fmt::format("--after {} is shorter than the {:g}e of the task {}, and so are its phases: {}",
                     options_of(options).at("after").text(), usual, options.task, changed);
}

void keep_phases(TrainingOptions& options) {
  const std::string& run = options.saving.model;
  if (options.saving.overwrite || nn::run_contents(run) != nn::RunContents::checkpoints) return;
  std::string path = nn::training_config_path(run + "/latest");
  if (!std::filesystem::exists(path)) path = nn::training_config_path(run);
  if (!std::filesystem::exists(path)) return;
  const TrainingOptions before = training_options_from_toml(read_regular_file(path), path);
  for (const char* phase : kPhases) {
    if (!options.is_given(phase)) set_phase(options, phase, options_of(before).at(phase).text());
  }
}

std::vector<std::string> phase_warnings(const TrainingOptions& options, double epochs) {
  std::vector<std::string> warnings;
  const std::string after = options_of(options).at("after").text();
  const auto directions = static_cast<double>(options.batches.bidirectional);
  if (directions > 0 && directions >= epochs) {
    warnings.push_back(fmt::format(
        "bidirectional: {:g} epochs do not end before --after {}: half of the pairs stay reversed to the "
        "end; give --bidirectional {}",
        directions, after, static_cast<int64_t>(epochs * 5 / 6)));
  }
  if (const auto warning = method_warning(options, epochs)) warnings.push_back(*warning);
  return warnings;
}

}  // namespace xf::tools
