// The programs by the name that is typed, each with its commands and their options as they are by default.
#pragma once

#include <string>
#include <vector>

#include "tools/config/option_list.h"

namespace xf::tools {

// As --help shows them; of training those of --task transformer-tiny.
const OptionList& default_options(Program program);

struct ProgramCommand {
  std::string name;  // "encode"; empty: the program without a command
  Program program;
};

// In the order of all_programs(). Error failure for a name that no program has.
std::vector<ProgramCommand> commands_of(const std::string& program);

}  // namespace xf::tools
