// Times of one kernel case: Google Benchmark decides how often to run it, the clock is ours.
#pragma once

#include <memory>
#include <vector>

#include "bench/case.h"
#include "bench/device_clock.h"
#include "bench/interleaved_timer.h"

namespace xf::bench {

struct TimerOptions {
  double seconds = 0.2;  // of running, at least, per visit
  int samples = 0;       // per visit, instead of `seconds`; 0: no such wish
  bool cold = true;      // rotate through inputs that do not fit into the last-level cache together
  double slowdown =
      0;  // --inject-slowdown: report every sample longer by this share, to see that a comparison
          // notices
};

// A case with its inputs in place, several times over unless they shall be found in a cache; warmed
// up.
class TimedCase {
 public:
  TimedCase(const Case& c, const TimerOptions& options);
  // Seconds of one call. Calls too short for a clock are timed several at once.
  double time();
  int64_t calls_at_once() const { return at_once_; }
  // The median of the calls of a moment, the first left out: where others had a turn meanwhile,
  // threads are new and caches are not ours.
  double turn();

 private:
  void run();
  Arena arena_;
  std::vector<Call> calls_;
  size_t next_ = 0;
  int64_t at_once_ = 1;
  double slowdown_;
  std::unique_ptr<DeviceClock> clock_;
};

constexpr int kKernelTurns = 40;  // how many such moments make a comparison

// One visit: inputs are made, timed, and dropped. A disturbed visit is repeated, and its samples
// are only kept, and counted as disturbed, where no quiet one comes.
Samples time_kernel(const Case& c, const TimerOptions& options);

}  // namespace xf::bench
