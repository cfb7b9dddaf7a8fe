// The configuration of a training from its command line, config file, run or model, and preset.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tools/config/training_options.h"
#include "tools/setup/read_training_options.h"

namespace xf::tools {

// What training has from a run or a model that its command names, where it does not say otherwise.
struct InheritedOptions {
  GivenOptions of_run, of_model;
  bool goes_on = false;  // with the run, or with a checkpoint
};
// Asked when the command line and the config file that it names have been read.
using Inherit =
    std::function<InheritedOptions(const GivenOptions& from_file, GivenOptions& from_command_line)>;

// Reads a command line (argv[0] is not looked at) and what it names: the command line goes before
// the config file (-c), that before what is inherited, and that before the preset (--task). The
// text that --help and the like ask for, and nothing of `options` is then set. Error usage for
// whatever is wrong.
std::optional<std::string> read_training_options(TrainingOptions& options, int argc, const char* const* argv,
                                                 const Inherit& inherit = {});
// The same; nothing if there is such a text, which is then on the standard output.
std::optional<TrainingOptions> parse_training_options(int argc, const char* const* argv,
                                                      const Inherit& inherit = {});

// From TOML alone: the training.toml of a run folder. `name` stands for the file in messages.
// Errors as above.
TrainingOptions training_options_from_toml(const std::string& text, const std::string& name);

}  // namespace xf::tools
