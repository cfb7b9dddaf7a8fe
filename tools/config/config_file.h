// Flat TOML: key = value with the option names as keys. No tables: every key stands for itself
// wherever it is copied.
#pragma once

#include <string>
#include <vector>

#include "tools/config/option.h"

namespace xf::tools {

// In the order of the file; `name` stands for the file in messages. Error usage "NAME:LINE: ..."
// for broken TOML, a table, an unknown key (with the nearest) and a key that a file may not hold.
// Leaves out removed options. Options that were renamed have today's names
// (tools/config/former_names.h).
GivenOptions parse_config(const OptionList& list, const std::string& text, const std::string& name);

// What parse_config() makes of a file that decides about a training. Error usage if it cannot be
// read, or asks for a feature that was removed.
GivenOptions read_config(const OptionList& list, const std::string& path);

// The text as a JSON object, its keys in alphabetical order. Error usage if it is no TOML.
std::string config_as_json(const std::string& text, const std::string& name);

// The presets of --task, built into the programs so that they are found wherever a program runs:
// tools/presets/*.toml and tools/tutorials/presets/*.toml. One that begins with `extends = "OTHER"`
// has the values of OTHER, but for those that it gives.
struct Preset {
  const char* name;  // transformer-tiny
  const char* text;  // TOML; null: a tutorial's, in a build without them
};
const std::vector<Preset>& presets();

// Error usage if there is no such preset, with the nearest name, and for a tutorial's that this
// build has not.
const Preset& find_preset(const std::string& name);

// Each option that it sets, once, whether it gives the value or has it from the one that it
// extends. Error as above. `list`: the options of xformer-train.
GivenOptions options_of_preset(const OptionList& list, const std::string& name);

}  // namespace xf::tools
