// The style sheet of a flow's picture: colours, and the animation, of elements with these classes and that of their tick:
//   appears there from its tick on
//   glow    there during its tick
//   packet  moves to its place, from the offset (--x, --y), as its tick begins
// The animation is for readers who did not ask for less motion; without it what appears is there and the others are not.
#pragma once

#include "tools/explain/flow.h"

namespace xf::tools::explain {

std::string flow_style(const Flow& flow);

}  // namespace xf::tools::explain
