// All kernel cases of a scope, and how they are chosen by name.
#pragma once

#include <string>
#include <vector>

#include "bench/case.h"
#include "bench/scope.h"

namespace xf::bench {

std::vector<Case> catalogue(const Scope& scope);

// What is timed besides kernels, and goes by these names in --fn.
constexpr const char* kTrainStep = "train_step";

// Every name that --fn can match, in the order of the catalogue.
std::vector<std::string> function_names();

// Whether a name is chosen: `pattern` is a regular expression for the whole of it; the part before
// _forward and _backward will do too, and "" is all. Error usage: not a regular expression.
bool chosen(const std::string& pattern, const std::string& name);
// Error usage, with the nearest name, where the pattern chooses nothing.
void check_pattern(const std::string& pattern, const std::vector<std::string>& names,
                   const std::string& option);

}  // namespace xf::bench
