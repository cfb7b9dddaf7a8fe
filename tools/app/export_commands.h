// The commands of xformer-export.
#pragma once

#include <vector>

#include "tools/config/command_line.h"

namespace xf::tools {

const std::vector<Command>& export_commands();

}  // namespace xf::tools
