// Times of one kernel case: Google Benchmark decides how often to run it, the clock is ours.
#pragma once

#include "bench/case.h"
#include "bench/sampler.h"

namespace xf::bench {

struct TimerOptions {
  double seconds = 0.2;  // of running, at least, per visit
  int samples = 0;       // per visit, instead of `seconds`; 0: no such wish
  bool cold = true;      // rotate through inputs that do not fit into the last-level cache together
  double planted = 0;  // --plant: report every sample longer by this share, to see that a comparison notices
};

// One visit: inputs are made, warmed up, timed, and dropped. A sample is the time of one call; calls too
// short for a clock are timed several at once. A disturbed visit is repeated, and its samples are only kept,
// and counted as disturbed, where no quiet one comes.
Samples time_kernel(const Case& c, const TimerOptions& options);

}  // namespace xf::bench
