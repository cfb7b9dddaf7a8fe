#include "tools/app/inherited_options.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "data/vocabularies.h"
#include "nn/checkpoint/manifest.h"
#include "nn/checkpoint/run_folder.h"
#include "tools/app/run_origin.h"
#include "tools/app/run_start.h"
#include "tools/config/command_line.h"
#include "tools/config/config_file.h"
#include "tools/formats/import_model.h"
#include "tools/setup/read_training_options.h"

namespace xf::tools {
namespace {

// The folder that a command would go on with, "" if it names none.
std::string folder_to_go_on_with(const GivenOptions& from_file, const GivenOptions& from_command_line) {
  const GivenOption* const resume = find_given(from_command_line, "resume");
  if (resume && names_checkpoint(resume->words.front())) return resume->words.front();
  const GivenOption* const run = find_given(from_file, from_command_line, "model");
  return run ? run->words.front() : "";
}

// Of a checkpoint, whose text must be as it was written.
GivenOptions read_config_of_checkpoint(const std::string& folder) {
  return parse_config(default_options("xformer-train"), nn::read_training_config(folder),
                      nn::training_config_path(folder));
}

// Of a run's training.toml, which may not be there, and which people may edit.
GivenOptions read_config_of_run(const std::string& folder) {
  namespace fs = std::filesystem;
  const std::string path = nn::training_config_path(folder);
  std::error_code unknown;
  const fs::file_type type = fs::status(path, unknown).type();
  const bool is_none = type != fs::file_type::regular && type != fs::file_type::none;
  return is_none ? GivenOptions{}  // or tells why it cannot be read
                 : read_config(default_options("xformer-train"), path);
}

// Those that say what the model is and how its text is cut.
GivenOptions of_model(GivenOptions given) {
  std::erase_if(given, [](const GivenOption& option) {
    constexpr std::array<std::string_view, 5> kOfText = {"tokenizer", "joint-vocab", "vocab-size",
                                                         "lowercase", "max-length"};
    const Option& known = default_options("xformer-train").at(option.name);
    return known.group != "model" && std::ranges::find(kOfText, option.name) == kOfText.end();
  });
  return given;
}

// A classifier's classes are those of its own text.
std::vector<std::string> files_of_text(const std::string& home) {
  std::vector<std::string> files = data::vocabulary_files(home);
  std::erase_if(files, [](const std::string& path) { return path.ends_with(".labels"); });
  return files;
}

// Whether a command names a checkpoint to go on with, or a run that has one and is not given up.
bool goes_on(const GivenOptions& from_file, const GivenOptions& from_command_line) {
  const std::string folder = folder_to_go_on_with(from_file, from_command_line);
  if (folder.empty() || find_given(from_command_line, "overwrite")) return false;
  std::error_code none;  // what cannot be looked at is told when the run begins
  return std::filesystem::exists(folder + "/model.safetensors", none) ||
         nn::run_contents(folder) == nn::RunContents::checkpoints;
}

// A command that goes on with a checkpoint or a run, or that names one and no text: training.toml
// there is what was not given.
GivenOptions options_of_run(const GivenOptions& from_file, const GivenOptions& from_command_line) {
  const std::string folder = folder_to_go_on_with(from_file, from_command_line);
  const bool names_text = find_given(from_file, from_command_line, "train-sets") != nullptr;
  if (folder.empty() || (names_text && !goes_on(from_file, from_command_line))) return {};
  std::error_code none;
  const bool is_checkpoint = std::filesystem::exists(folder + "/" + nn::Manifest::kFileName, none);
  GivenOptions of_run = is_checkpoint ? read_config_of_checkpoint(folder) : read_config_of_run(folder);
  if (of_run.empty()) of_run = read_config_of_run(folder + "/latest");  // the run's own is lost
  // Earlier versions have written what is of one command. Where a run lies is what the command
  // says.
  std::erase_if(of_run, [&](const GivenOption& option) {
    return option.name == "model" ||
           default_options("xformer-train").at(option.name).persistence == Persistence::once ||
           (option.name != "task" && option.name != "precision" &&
            find_given(from_file, from_command_line, option.name)) ||
           (option.name == "optimizer-params" && find_given(from_command_line, "optimizer")) ||
           (option.name == "log-format" && names_text);
  });
  find_files(of_run, folder);
  return of_run;
}

// What a run that begins with another model's weights has from it, unless it says otherwise: its
// type and sizes, and how its text is cut. A run that goes on has it already.
GivenOptions options_of_pretrained(const GivenOptions& from_file, const GivenOptions& from_command_line) {
  const GivenOption* const pretrained = find_given(from_file, from_command_line, "pretrained-model");
  if (!pretrained) return {};
  const std::string& path = pretrained->words.front();
  if (exchange::is_foreign(path)) {
    // Its vocabularies are no files: choose_vocabularies() takes them from the model.
    const std::string config = exchange::import_model(path).checkpoint.model_config;
    return of_model(parse_config(default_options("xformer-train"), config, path));
  }
  const std::string folder = nn::find_model_folder(path), home = data::find_vocabularies(folder);
  if (home.empty()) fail(ErrorKind::data, "{}: no vocabulary in this folder or above it", path);
  const std::string config = nn::model_config_path(folder);
  GivenOptions given =
      of_model(parse_config(default_options("xformer-train"), read_regular_file(config), config));
  given.push_back({"vocabs", files_of_text(home), folder});
  return given;
}

// A run that --resume names stands for its latest checkpoint, and --model run/ is run.
void settle_run_folders(GivenOptions& given) {
  namespace fs = std::filesystem;
  for (GivenOption& option : given) {
    std::string& folder = option.words.front();
    std::error_code none;
    if (option.name == "model" && folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    if (option.name == "resume" && !fs::exists(folder + "/model.safetensors", none) &&
        fs::exists(folder + "/latest/model.safetensors", none))
      folder += "/latest";
  }
}

// Both say where the weights come from.
void check_origin(const GivenOptions& from_command_line) {
  const GivenOption* const resume = find_given(from_command_line, "resume");
  const GivenOption* const pretrained = find_given(from_command_line, "pretrained-model");
  if (resume && pretrained && names_checkpoint(resume->words.front()))
    fail(ErrorKind::usage,
         "--resume continues {}, and --pretrained-model starts from {}; leave out one of them",
         resume->words.front(), pretrained->words.front());
}

}  // namespace

InheritedOptions inherited_options(const GivenOptions& from_file, GivenOptions& from_command_line) {
  settle_run_folders(from_command_line);
  check_origin(from_command_line);
  InheritedOptions inherited;
  inherited.of_run = options_of_run(from_file, from_command_line);
  inherited.goes_on = goes_on(from_file, from_command_line);
  if (inherited.of_run.empty()) inherited.of_model = options_of_pretrained(from_file, from_command_line);
  return inherited;
}

}  // namespace xf::tools
