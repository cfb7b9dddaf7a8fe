// The words after a program's name, by the list of its options. CLI11 does the splitting and is seen nowhere else.
#pragma once

#include <string>
#include <vector>

#include "tools/config/given_option.h"
#include "tools/config/option_list.h"

namespace xf::tools {

// What was given, in the list's order. Error usage for an unknown option (with the nearest), a missing
// value, a word too many.
GivenOptions parse_command_line(const OptionList& list, const std::vector<std::string>& arguments);

// Error usage for a word that no option takes, with what was probably meant.
[[noreturn]] void refuse_argument(const OptionList& list, const std::vector<std::string>& arguments,
                                  const std::string& word);

// The text of --help or --help-all: groups, and the values that the list has.
std::string help_text(const OptionList& defaults, bool all);

}  // namespace xf::tools
