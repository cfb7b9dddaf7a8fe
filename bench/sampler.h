// Times of repeated runs on a machine that others may be using too.
#pragma once

#include <functional>
#include <vector>

namespace xf::bench {

// Seconds on a clock that only goes forward.
double now();

struct Samples {
  std::vector<double> seconds;  // sorted
  int disturbed = 0;            // how many of them, for want of quiet ones, were taken while others were busy

  // q in [0, 1], linear between neighbours; 0.5 is the median.
  double quantile(double q) const;
};

struct SamplerOptions {
  int warm_ups = 3;
  int samples = 15;
  int attempts = 2;              // per sample; after that, disturbed ones fill the gap
  double others_allowed = 0.05;  // of a core; a sample during which others used more is disturbed
};

// Runs `run` until there are enough undisturbed samples. Others = busy and stolen time of /proc/stat less
// this process's own; where there is no /proc/stat every sample counts as quiet.
Samples sample(const SamplerOptions& options, const std::function<void()>& run);

// Peak resident memory of this process, bytes.
double peak_resident_bytes();

}  // namespace xf::bench
