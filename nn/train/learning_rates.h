// Parameters that stay as they are, and parameters that learn at another rate than the rest.
#pragma once

#include <string>
#include <vector>

#include "nn/parameter_store.h"

namespace xf::nn {

// Parameters whose name has a match of the regular expression (ECMAScript's, anywhere in the name)
// learn at `rate` times the schedule's rate. 0: they are frozen.
struct RateRule {
  std::string pattern;
  float rate = 0;
  std::string option;  // that gave it, for messages
};

// Gives each parameter the rate of the first rule that it matches; before the store is allocated.
// Error usage for what is no regular expression, a rule that is no parameter's first, and where
// nothing would be left to train.
void set_rates(ParameterStore& store, const std::vector<RateRule>& rules);

}  // namespace xf::nn
