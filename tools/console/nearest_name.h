// The name that a mistyped one was probably meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xf::tools {

// Insertions, deletions, substitutions and swaps of neighbours that turn a into b (optimal string
// alignment).
int edit_distance(std::string_view a, std::string_view b);

// The candidate with the smallest distance, the first of equals; empty where all differ in more
// than a third of the name.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

// "; did you mean 'learn-rate'?", or nothing where no candidate is near. `prefix` goes before the
// name ("--").
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates,
                         std::string_view prefix = "");

}  // namespace xf::tools
