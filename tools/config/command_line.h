// The words after a program's name, by the option table. CLI11 does the splitting and is seen nowhere else.
#pragma once

#include <string>
#include <vector>

#include "tools/config/given_option.h"
#include "tools/config/option_table.h"

namespace xf::tools {

// What was given, in the table's order. Error usage for an unknown option (with the nearest), a missing
// value, a word too many.
std::vector<GivenOption> parse_command_line(Program program, const std::vector<std::string>& arguments);

// Error usage for a word that no option takes, with what was probably meant.
[[noreturn]] void refuse_argument(Program program, const std::vector<std::string>& arguments,
                                  const std::string& word);

// The text of --help or --help-all: groups, defaults (the default task's where the task decides).
std::string help_text(Program program, bool all);

}  // namespace xf::tools
