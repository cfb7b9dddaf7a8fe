#include "tools/app/run_start.h"
#include "tools/config/command_line.h"
#include "tools/config/training_options.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "core/file.h"
#include "nn/checkpoint/checkpoint.h"
#include "nn/checkpoint/run_folder.h"
#include "tools/app/run_origin.h"
#include "tools/console/shell_word.h"
#include "tools/formats/stored_model.h"
#include "tools/report/validation_files.h"
#include "tools/setup/read_training_options.h"

namespace xf::tools {

namespace {

namespace fs = std::filesystem;

// Beside its checkpoints and samples/.
constexpr const char* kRunFiles[] = {
    "metrics.jsonl",    "train.log",           "report.html",       "pretrained.tsv",   "loss.svg",
    "bleu.svg",         "loss_by_epoch.svg",   "bleu_by_epoch.svg", "training.toml",    "config.toml",
    "vocab.spm",        "vocab.txt",           "vocab.source.spm",  "vocab.source.txt", "vocab.target.spm",
    "vocab.target.txt", "vocab.target.labels", "valid.tsv",         kOriginFile};

// "seed was 1 and is 2; ...", "" without changes.
std::string list_of(const std::vector<ChangedOption>& changes) {
  std::string list;
  for (const ChangedOption& change : changes) {
    list += fmt::format("{}{} was {} and is {}", list.empty() ? "" : "; ", change.name,
                        change.before.empty() ? "unset" : change.before,
                        change.now.empty() ? "unset" : change.now);
  }
  return list;
}

bool is_of_model(const ChangedOption& change) {
  const std::string_view group = default_options("xformer-train").at(change.name).group;
  return group == "data" || group == "text" || group == "model";
}

// The command that trains with the changes: what the model is cannot change on its way.
std::string command_for(const TrainingOptions& options, const std::vector<ChangedOption>& changes,
                        const std::string& run) {
  const std::string begin_over = "start again with another --model, or --overwrite";
  if (std::ranges::any_of(changes, is_of_model)) return begin_over;
  std::string command = fmt::format("xformer-train --resume {} -m NEW", shell_word(run));
  for (const ChangedOption& change : changes) {
    command += fmt::format(" --{} {}", change.name, shell_words(options_of(options).at(change.name).words()));
  }
  constexpr std::array<std::string_view, 3> kOrderMoments = {"optimizer", "freeze", "lr-multiplier"};
  if (std::ranges::any_of(changes, [&](const ChangedOption& change) {
        return std::ranges::find(kOrderMoments, change.name) != kOrderMoments.end();
      }))
    command += " --no-optimizer-reload";
  return fmt::format("apply them in a new folder: {}; or {}", command, begin_over);
}

// Compares with the newest checkpoint, since people may edit the run's own training.toml. Where the
// checkpoint is damaged, the run's own counts: resuming then goes back to an earlier checkpoint.
void check_unchanged(const TrainingOptions& options, const std::string& run) {
  const std::string latest = run + "/latest";
  const std::optional<std::string> stored = nn::intact_training_config(latest);
  const std::string path = nn::training_config_path(stored ? latest : run);
  if (!stored && !fs::exists(path)) return;
  const TrainingOptions before = training_options_from_toml(stored ? *stored : read_regular_file(path), path);
  std::vector<ChangedOption> changes = changed_options(options_of(before), options_of(options));
  std::erase_if(changes, [](const ChangedOption& change) {
    // of an earlier version: chosen by now
    return change.name == "precision" && change.before == "\"auto\"";
  });
  if (changes.empty()) return;
  fail(ErrorKind::usage, "{} was started with other options: {}; leave them out to resume, or {}", run,
       list_of(changes), command_for(options, changes, run));
}

bool begins_with(const fs::path& inner, const fs::path& outer) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

// By its name, or where its links lead: `latest` lies in its run.
bool lies_in(const std::string& path, const std::string& folder) {
  std::error_code none;
  const auto followed = [&](const std::string& name) { return fs::weakly_canonical(name, none); };
  const auto named = [&](const std::string& name) {
    return (fs::absolute(name, none) / "").lexically_normal().parent_path();
  };
  return begins_with(followed(path), followed(folder)) || begins_with(named(path), named(folder));
}

// A folder where no run has been may have files of these names, which are somebody's.
void check_no_others(const std::string& run) {
  if (fs::exists(run + "/lock") || fs::exists(run + "/metrics.jsonl")) return;
  for (const char* name : kRunFiles) {
    if (!fs::exists(run + "/" + name)) continue;
    fail(ErrorKind::usage,
         "{}/{} belongs to no run, and --overwrite would replace it; move it, or give another --model", run,
         name);
  }
}

// Nothing is removed before all can be.
void check_removable(const std::string& run) {
  std::error_code none;
  for (const char* name : kRunFiles) {
    if (!fs::is_directory(fs::symlink_status(run + "/" + name, none))) continue;
    fail(ErrorKind::usage, "{}/{} is a folder where a run has a file; move it, or give another --model", run,
         name);
  }
}

RunStart start_over(const TrainingOptions& options, const std::string& run) {
  if (nn::run_contents(run) == nn::RunContents::others) check_no_others(run);
  check_removable(run);
  if (resumes_checkpoint(options) && lies_in(options.saving.resume, run)) {
    fail(ErrorKind::usage,
         "--overwrite would remove the checkpoint {}; leave it out, or give another --model",
         options.saving.resume);
  }
  return RunStart::overwrite;
}

RunStart go_on(const TrainingOptions& options, const std::string& run) {
  const std::string& resume = options.saving.resume;
  if (resume == "never") {
    fail(ErrorKind::usage,
         "{} holds a run already; give another --model, --resume auto to continue, or --overwrite", run);
  }
  if (resumes_checkpoint(options) && !lies_in(resume, run)) {
    fail(ErrorKind::usage,
         "{} already holds a run, and {} does not belong to it; give another --model, or --overwrite", run,
         resume);
  }
  check_unchanged(options, run);
  return RunStart::resumed;
}

}  // namespace

bool names_checkpoint(const std::string& resume) { return resume != "auto" && resume != "never"; }

bool resumes_checkpoint(const TrainingOptions& options) { return names_checkpoint(options.saving.resume); }

RunStart run_start(const TrainingOptions& options) {
  const std::string& run = options.saving.model;
  const nn::RunContents contents = nn::run_contents(run);
  if (options.saving.overwrite) return start_over(options, run);
  switch (contents) {
    case nn::RunContents::checkpoints: return go_on(options, run);
    case nn::RunContents::model:
      fail(ErrorKind::usage,
           "{} holds a model but no checkpoint to resume from; give another --model, or --overwrite; "
           "--pretrained-model {} -m NEW starts from its weights",
           run, shell_word(run));
    case nn::RunContents::others:
      fail(ErrorKind::usage,
           "{} is not empty and holds no run; give another --model, or --overwrite to use it anyway", run);
    case nn::RunContents::nothing:
    case nn::RunContents::unsaved: break;
  }
  return RunStart::fresh;
}

void check_same_model(const TrainingOptions& options, const nn::Checkpoint& checkpoint,
                      const std::string& where) {
  const TrainingOptions before = training_of(checkpoint, where);
  std::vector<ChangedOption> changes = changed_options(options_of(before), options_of(options));
  std::erase_if(changes, [](const ChangedOption& change) { return !is_of_model(change); });
  if (changes.empty()) return;
  fail(ErrorKind::usage, "{} is another model: {}; leave these out, or start again without --resume", where,
       list_of(changes));
}

void remove_run_files(const std::string& run) {
  for (const char* name : kRunFiles) fs::remove(run + "/" + name);
  remove_validation_files(run);
}

}  // namespace xf::tools
