// The edits of TER: a greedy search for the shifts of Tercom, with the limits and the ranking of sacreBLEU 2.6.0.
#pragma once

#include "data/score/beam_edit_distance.h"

namespace xf::data {

// Shifts, insertions, deletions and substitutions that make `reference` from `hypothesis`.
int64_t edits_with_shifts(Words hypothesis, const Words& reference);

}  // namespace xf::data
