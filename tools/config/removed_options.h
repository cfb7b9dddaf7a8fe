// Options that earlier versions had. The configuration of a stored run may still hold them.
#pragma once

#include <string_view>

#include "tools/config/program.h"

namespace xf::tools {

struct RemovedOption {
  std::string_view name;
  std::string_view needed;  // the option without which it had no effect, perhaps itself; 0: off
  std::string_view why;     // a sentence without its end
};

// Null for a name that `program` never had, or still has.
const RemovedOption* find_removed(Program program, std::string_view name);

}  // namespace xf::tools
