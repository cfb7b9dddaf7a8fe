// The switches of quirks.h by name, as configurations write them: "mask-fill=-1e-12",
// "pad-axis=both".
#pragma once

#include <string>
#include <vector>

#include "tools/tutorials/model/quirks.h"

namespace xf::nn::quirks {

// The switches that are named differ from the correct values. Error usage, which lists what there
// is, for others.
Quirks quirks_from(const std::vector<std::string>& settings);

// A line for each switch: its name, what it may be, the correct value first.
// "pad-axis=key|query|both"
std::vector<std::string> switches();

}  // namespace xf::nn::quirks
