// The presets of --task, built into the programs from tools/presets/*.toml so that they are found wherever a
// program runs. One that begins with `extends = "OTHER"` has the values of OTHER, but for those that it gives.
#pragma once

#include <string>
#include <vector>

#include "tools/config/option_list.h"

namespace xf::tools {

struct Preset {
  const char* name;  // transformer-tiny
  const char* text;  // TOML
};

const std::vector<Preset>& presets();

// Error usage with the nearest name if there is no such preset.
const Preset& find_preset(const std::string& name);

// Each option that it sets, once, whether it gives the value or has it from the one that it extends. Error as above. `list`: the options of xformer-train.
GivenOptions options_of_preset(const OptionList& list, const std::string& name);

}  // namespace xf::tools
