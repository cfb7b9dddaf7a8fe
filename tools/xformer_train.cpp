// xformer-train: parallel text in, a trained Transformer out.
#include <fmt/format.h>

#include <csignal>
#include <filesystem>

#include "core/file.h"
#include "core/parallel.h"
#include "core/stop.h"
#include "tools/main.h"
#include "tools/model_config.h"
#include "tools/print_model.h"
#include "tools/training_run.h"

namespace xf::tools {
namespace {

// Whether the run folder holds a run to go on with. Refuses what would lose somebody's files.
bool prepare_folder(const Options& options, const std::string& run) {
  const bool begun = std::filesystem::exists(run + "/checkpoints");
  if (options.get_bool("overwrite") && begun) {
    for (const char* name :
         {"checkpoints", "averaged", "best", "latest", "metrics.jsonl", "train.log", "config.toml"}) {
      std::filesystem::remove_all(run + "/" + name);
    }
    for (const char* name : {"vocab.spm", "vocab.txt", "vocab.source.spm", "vocab.source.txt",
                             "vocab.target.spm", "vocab.target.txt"}) {
      std::filesystem::remove(run + "/" + name);
    }
    return false;
  }
  if (begun && options.get_string("resume") == "never") {
    fail(ErrorKind::usage,
         "{} holds a run already; give another --model, --resume auto to go on, or --overwrite", run);
  }
  if (!begun && std::filesystem::is_directory(run) && !std::filesystem::is_empty(run) &&
      !std::filesystem::exists(run + "/config.toml") && !options.get_bool("overwrite")) {
    fail(ErrorKind::usage,
         "{} is not empty and holds no run; give another --model, or --overwrite to use it all the same",
         run);
  }
  return begun;
}

void check_unchanged(const Options& options, const std::string& run) {
  if (!std::filesystem::exists(run + "/config.toml")) return;
  const Options before =
      options_from_toml(Program::train, read_file(run + "/config.toml"), run + "/config.toml");
  std::string list;
  for (const ChangedOption& change : options.changed_keys(before)) {
    list += fmt::format("{}{} was {} and is {}", list.empty() ? "" : "; ", change.name,
                        change.before.empty() ? "unset" : change.before,
                        change.now.empty() ? "unset" : change.now);
  }
  if (!list.empty()) {
    fail(ErrorKind::usage,
         "{} was begun with other options: {}; give those, another --model, or --overwrite to begin anew",
         run, list);
  }
}

int train(int argc, char** argv) {
  const auto options = parse_options(Program::train, argc, argv);
  if (!options) return 0;
  if (options->get_bool("print-model")) {
    fmt::print("{}", print_model(*options));
    return 0;
  }
  options->require("model");
  options->require("train-sets");
  chosen_device(*options);  // refuses before the text is read what cannot be used
  watch_signals();
  std::signal(SIGPIPE, SIG_IGN);  // who closes the pipe that shows the progress does not end the training
  set_thread_count(static_cast<int>(options->get_int("cpu-threads")));
  const std::string& run = options->get_string("model");
  const bool resuming = prepare_folder(*options, run);
  if (resuming) check_unchanged(*options, run);
  return run_training(read_training_inputs(*options, run, resuming));
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_program(argc, argv, xf::tools::train); }
