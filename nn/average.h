// The mean of several saves of one model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nn/checkpoint.h"

namespace xf::nn {

// The f32 of the f64 mean of the models in `folders`, added in that order. Everything else is the last one's,
// but for the state: "averaged", a list of their updates. A damaged one is left out and `warn` is told; Error
// data if none is whole, or if they are not saves of one model.
Checkpoint average_models(const std::vector<std::string>& folders,
                          const std::function<void(const std::string&)>& warn);

}  // namespace xf::nn
