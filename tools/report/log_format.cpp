#include "tools/report/log_format.h"

#include <algorithm>
#include <array>

namespace xf::tools {

Registered<std::shared_ptr<const LogFormat>>& log_formats() {
  static Registered<std::shared_ptr<const LogFormat>> all;
  return all;
}

const LogFormat* added_log_format(const TrainingOptions& options) {
  constexpr std::array kOwn = {"auto", "plain", "json", "none"};
  const std::string& name = options.logging.log_format;
  if (std::ranges::find(kOwn, name) != kOwn.end()) return nullptr;
  return log_formats().at(name).get();
}

}  // namespace xf::tools
