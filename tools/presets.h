// The presets of --task, built into the programs from tools/presets/*.toml so that they are found wherever a
// program runs.
#pragma once

#include <string>
#include <vector>

namespace xf::tools {

struct Preset {
  const char* name;  // transformer-tiny
  const char* text;  // TOML
};

const std::vector<Preset>& presets();

// Error usage with the nearest name if there is no such preset.
const Preset& find_preset(const std::string& name);

}  // namespace xf::tools
