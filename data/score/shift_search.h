// The edits of TER: a greedy search for the shifts of Tercom, with the limits and the ranking of
// sacreBLEU 2.6.0.
#pragma once

#include <cstdint>
#include <vector>

namespace xf::data {

using Words = std::vector<int32_t>;  // equal words have equal numbers

// Shifts, insertions, deletions and substitutions that make `reference` from `hypothesis`.
int64_t edits_with_shifts(Words hypothesis, const Words& reference);

}  // namespace xf::data
