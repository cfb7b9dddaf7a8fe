// The presets of --task, built into the programs so that they are found wherever a program runs:
// tools/presets/*.toml and tools/tutorials/presets/*.toml. One that begins with `extends = "OTHER"` has the values of OTHER, but for those that it gives.
#pragma once

#include <string>
#include <vector>

#include "tools/config/option_list.h"

namespace xf::tools {

struct Preset {
  const char* name;  // transformer-tiny
  const char* text;  // TOML; null: a tutorial's, in a build without them
};

const std::vector<Preset>& presets();

// Error usage if there is no such preset, with the nearest name, and for a tutorial's that this build has not.
const Preset& find_preset(const std::string& name);

// Each option that it sets, once, whether it gives the value or has it from the one that it extends. Error as above. `list`: the options of xformer-train.
GivenOptions options_of_preset(const OptionList& list, const std::string& name);

}  // namespace xf::tools
