#include "tools/config/presets.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/registered.h"
#include "tools/config/config_file.h"
#include "tools/console/nearest_name.h"

namespace xf::tools {

const Preset& find_preset(const std::string& name) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    if (preset.name == name && !preset.text) fail_without_tutorials(name);
    if (preset.name == name) return preset;
    names.emplace_back(preset.name);
  }
  fail(ErrorKind::usage, "unknown task '{}'{} (one of {})", name, did_you_mean(name, names),
       fmt::join(names, ", "));
}

GivenOptions options_of_preset(const OptionList& list, const std::string& name) {
  const Preset& preset = find_preset(name);
  const PresetConfig config = parse_preset(list, preset.text, fmt::format("preset {}", name));
  if (config.extends.empty()) return config.options;
  GivenOptions options = options_of_preset(list, config.extends);
  for (const GivenOption& own : config.options) {
    std::erase_if(options, [&](const GivenOption& option) { return option.name == own.name; });
    options.push_back(own);
  }
  return options;
}

}  // namespace xf::tools
