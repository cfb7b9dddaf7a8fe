// What training has from a run or a model that its command names, where it does not say otherwise.
#pragma once

#include "tools/setup/read_training_options.h"

namespace xf::tools {

// The options of a run that goes on, or those of a pretrained model that say what it is and how its
// text is cut; for read_training_options(). A run that `from_command_line` names by --resume stands
// for its latest checkpoint afterwards.
InheritedOptions inherited_options(const GivenOptions& from_file, GivenOptions& from_command_line);

}  // namespace xf::tools
