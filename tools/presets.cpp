#include "tools/presets.h"

#include <fmt/format.h>

#include "core/error.h"
#include "tools/nearest_name.h"

namespace xf::tools {

const Preset& find_preset(const std::string& name) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    if (preset.name == name) return preset;
    names.emplace_back(preset.name);
  }
  fail(ErrorKind::usage, "unknown task '{}'{} (one of {})", name, did_you_mean(name, names),
       fmt::join(names, ", "));
}

}  // namespace xf::tools
