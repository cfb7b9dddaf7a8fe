// The models of published tutorials, with their quirks.
#pragma once

#include "nn/quirks/quirks.h"

namespace xf::nn::quirks {

// A walk-through's model, small enough to be calculated by hand: 5,968 parameters, of which 108 never get a gradient.
Config seed001();

}  // namespace xf::nn::quirks
