#include "tools/run_start.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "nn/run_folder.h"
#include "tools/validation_files.h"

namespace xf::tools {

namespace {

namespace fs = std::filesystem;

// Beside its checkpoints and samples/.
constexpr const char* kRunFiles[] = {"metrics.jsonl",       "train.log",         "report.html",
                                     "pretrained.tsv",      "loss.svg",          "bleu.svg",
                                     "loss_by_epoch.svg",   "bleu_by_epoch.svg", "config.toml",
                                     "vocab.spm",           "vocab.txt",         "vocab.source.spm",
                                     "vocab.source.txt",    "vocab.target.spm",  "vocab.target.txt",
                                     "vocab.target.labels", "valid.tsv"};

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

// As the newest checkpoint has it: config.toml beside it is there to be read, and perhaps edited.
void check_unchanged(const Options& options, const std::string& run) {
  const std::string path = run + (fs::exists(run + "/latest/config.toml") ? "/latest" : "") + "/config.toml";
  if (!fs::exists(path)) return;
  const Options before = options_from_toml(Program::train, read_file(path), path);
  const std::string list = list_of(options.changed_keys(before));
  if (list.empty()) return;
  fail(ErrorKind::usage,
       "{} was begun with other options: {}; give those, another --model, or --overwrite to begin anew", run,
       list);
}

bool begins_with(const fs::path& inner, const fs::path& outer) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

// By its name, or where its links lead: `latest` lies in its run, and so do checkpoints that a link keeps on another disk.
bool lies_in(const std::string& path, const std::string& folder) {
  std::error_code none;
  const auto followed = [&](const std::string& name) { return fs::weakly_canonical(name, none); };
  const auto named = [&](const std::string& name) {
    return (fs::absolute(name, none) / "").lexically_normal().parent_path();
  };
  return begins_with(followed(path), followed(folder)) ||
         begins_with(followed(path), followed(folder + "/checkpoints")) ||
         begins_with(named(path), named(folder));
}

// A folder where no run has been may have files of these names, which are somebody's.
void check_no_others(const std::string& run) {
  if (fs::exists(run + "/lock") || fs::exists(run + "/metrics.jsonl")) return;
  for (const char* name : kRunFiles) {
    if (!fs::exists(run + "/" + name)) continue;
    fail(ErrorKind::usage,
         "{}/{} is of no run, and --overwrite would replace it; move it, or give another --model", run, name);
  }
}

RunStart start_over(const Options& options, const std::string& run) {
  if (nn::run_contents(run) == nn::RunContents::others) check_no_others(run);
  if (resumes_checkpoint(options) && lies_in(options.get_string("resume"), run)) {
    fail(ErrorKind::usage,
         "--overwrite would remove the checkpoint {}; leave it out, or give another --model",
         options.get_string("resume"));
  }
  return RunStart::over;
}

RunStart go_on(const Options& options, const std::string& run) {
  const std::string& resume = options.get_string("resume");
  if (resume == "never") {
    fail(ErrorKind::usage,
         "{} holds a run already; give another --model, --resume auto to go on, or --overwrite", run);
  }
  if (resumes_checkpoint(options) && !lies_in(resume, run)) {
    fail(ErrorKind::usage,
         "{} holds a run already, and {} is not of it; give another --model, or --overwrite", run, resume);
  }
  check_unchanged(options, run);
  return RunStart::resumed;
}

}  // namespace

bool names_checkpoint(const std::string& resume) { return resume != "auto" && resume != "never"; }

bool resumes_checkpoint(const Options& options) { return names_checkpoint(options.get_string("resume")); }

RunStart run_start(const Options& options) {
  const std::string& run = options.get_string("model");
  const nn::RunContents contents = nn::run_contents(run);
  if (options.get_bool("overwrite")) return start_over(options, run);
  switch (contents) {
    case nn::RunContents::checkpoints: return go_on(options, run);
    case nn::RunContents::model:
      fail(ErrorKind::usage,
           "{} holds a model but no checkpoint to go on from; give another --model, or --overwrite", run);
    case nn::RunContents::others:
      fail(ErrorKind::usage,
           "{} is not empty and holds no run; give another --model, or --overwrite to use it all the same",
           run);
    case nn::RunContents::nothing:
    case nn::RunContents::unsaved: break;
  }
  return RunStart::anew;
}

void check_same_model(const Options& options, const nn::Checkpoint& checkpoint, const std::string& where) {
  const Options before = options_from_toml(Program::train, checkpoint.config, where + "/config.toml");
  std::vector<ChangedOption> changes = options.changed_keys(before);
  std::erase_if(changes, [](const ChangedOption& change) {
    const std::string_view group = find_option(Program::train, change.name)->group;
    return group != "data" && group != "model";
  });
  if (changes.empty()) return;
  fail(ErrorKind::usage,
       "{} is another model: {}; give the options that it was trained with, or leave out --train-sets", where,
       list_of(changes));
}

void remove_run_files(const std::string& run) {
  for (const char* name : kRunFiles) fs::remove(run + "/" + name);
  remove_validation_files(run);
}

}  // namespace xf::tools
