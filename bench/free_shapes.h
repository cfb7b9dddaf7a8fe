// Functions that run at any shape: what their sizes are called, and which a model has.
#pragma once

#include <string>
#include <vector>

#include "bench/case.h"
#include "bench/extents.h"
#include "bench/scope.h"

namespace xf::bench {

// Names of functions that have free shapes, "layer_norm_forward", in the order of the catalogue.
std::vector<std::string> free_functions();
// What the sizes of a function are called: {"N", "D"}.
const std::vector<std::string>& sizes_of(const std::string& fn);

// The functions that `pattern` chooses, at every shape of a sweep. Error usage where it chooses
// none that has free shapes, or for sizes that they do not have.
std::vector<Case> free_cases(const Scope& scope, const std::string& pattern, const Sweep& sweep);
// The same at the shapes of the scope's preset; of `odd`: ones, primes, and sizes around powers of
// two.
std::vector<Case> free_cases(const Scope& scope, const std::string& pattern);

// The case with fewer rows, for a check against the slow definition: itself where it is small.
Case with_fewer_rows(const Scope& scope, const Case& c);

}  // namespace xf::bench
