// What training has from a run or a model that its command names, where it does not say otherwise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/given_option.h"

namespace xf::tools {

using GivenOptions = std::vector<GivenOption>;

// Null where it is not given.
const GivenOption* find_given(const GivenOptions& given, std::string_view name);
// The command line goes before the file.
const GivenOption* find_given(const GivenOptions& from_file, const GivenOptions& from_command_line,
                              std::string_view name);

// Whether a command names a checkpoint to go on with, or a run that has one and is not given up.
bool goes_on(const GivenOptions& from_file, const GivenOptions& from_command_line);

// A command that goes on with a checkpoint or a run, or that names one and no text: config.toml there is what was not given.
GivenOptions options_of_run(const GivenOptions& from_file, const GivenOptions& from_command_line);

// What a run that begins with another model's weights has from it, unless it says otherwise: its type and sizes, and how its
// text is cut. A run that goes on has it already.
GivenOptions options_of_pretrained(const GivenOptions& from_file, const GivenOptions& from_command_line);

// The preset where neither a --task nor a run says it: one for a pretrained model's type. "" where nothing says it.
std::string inherited_task(const GivenOptions& of_pretrained);

}  // namespace xf::tools
