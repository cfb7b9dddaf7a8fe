// What a training step launches on a GPU: a launch costs a few microseconds whatever it does, so
// that a small model's step is bound by their number.
#pragma once

#include <string>
#include <vector>

#include "bench/runner.h"

namespace xf::bench {

// The step of the request's preset, recorded and replayed once: a line for each name, the most
// launched first. Error usage: the device does not replay.
std::string count_launches(const Request& request);

// The same of names that are known.
std::string table_of_launches(const std::vector<std::string>& names);

}  // namespace xf::bench
