// The programs of the option table by the name that is typed, each with its commands.
#pragma once

#include <string>
#include <vector>

#include "tools/config/option_table.h"

namespace xf::tools {

struct ProgramCommand {
  std::string name;  // "encode"; empty: the program without a command
  Program program;
  std::vector<const OptionSpec*> options;  // in the order of --help
};

// In the order of the table. Error failure for a name that no program has.
std::vector<ProgramCommand> commands_of(const std::string& program);

// "-b", "--beam-size", "-lc": each way to write an option.
std::vector<std::string> spellings_of(const OptionSpec& spec);

// The words that an option can be given; none: anything.
std::vector<std::string> values_of(const OptionSpec& spec);

// For --help and man: what stands behind an option's name ("N", "post|pre"), and its help with the words and the default
// that the former does not show.
std::string value_text(const OptionSpec& spec);
std::string help_with_default(const OptionSpec& spec, const std::string& default_text);

}  // namespace xf::tools
