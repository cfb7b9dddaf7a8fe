// Flat TOML: key = value with the option names as keys. No tables: every key stands for itself wherever it is
// copied.
#pragma once

#include <string>
#include <vector>

#include "tools/config/given_option.h"
#include "tools/config/option_list.h"

namespace xf::tools {

// In the order of the file; `name` stands for the file in messages. Error usage "NAME:LINE: ..." for broken
// TOML, a table, an unknown key (with the nearest) and a key that a file may not hold. Leaves out removed options.
GivenOptions parse_config(const OptionList& list, const std::string& text, const std::string& name);

// A preset's text (tools/config/presets.h): its own options, and the name that `extends` gives, "" if it gives none. Errors as above.
struct PresetConfig {
  std::string extends;
  GivenOptions options;
};
PresetConfig parse_preset(const OptionList& list, const std::string& text, const std::string& name);

// What parse_config() makes of a file that decides about a training. Error usage if it cannot be read, or asks for a feature that
// was removed.
GivenOptions read_config(const OptionList& list, const std::string& path);

// The text as a JSON object, its keys in alphabetical order. Error usage if it is no TOML.
std::string config_as_json(const std::string& text, const std::string& name);

}  // namespace xf::tools
