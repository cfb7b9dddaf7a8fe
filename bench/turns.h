// Two builds of xformer-bench, timed in turn (Turns in bench/interleaved_timer.h), a fraction of a
// second each.
#pragma once

#include <iosfwd>
#include <string>

#include "bench/comparison.h"
#include "bench/runner.h"

namespace xf::bench {

// Rows of a request in two programs, by path. Both run as processes of their own, of which one
// works while the other waits, in the order a b b a. A request's slowdown is injected into `after`.
// Error failure where one of them cannot be started, or ends.
Comparison compare_in_turn(const Request& request, const std::string& before, const std::string& after,
                           const Progress& progress);

// What such a process does, line by line until its input ends:
//   "row NAME SHAPE"   makes its inputs; answers "ready", or "none" where there is no such row
//   "turn"             times it for a moment; answers with the seconds of a call
// Error data for any other line.
void answer_turns(const Request& request, std::istream& requests, std::ostream& answers);

}  // namespace xf::bench
