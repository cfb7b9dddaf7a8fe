// The same benchmarks, before and after: what became slower, beyond what chance explains.
#pragma once

#include <string>
#include <vector>

#include "bench/results.h"

namespace xf::bench {

// Times of b over times of a; > 1: b is slower.
struct Change {
  double median = 1;  // ratio of the medians
  double quarter =
      1;  // ratio of the lower quartiles: neighbours only ever add to a time, and reach these last
  double surely = 1;   // the least ratio of both that 99 % of resampled runs exceed (bootstrap)
  bool enough = true;  // samples to tell a slowdown from chance

  // Neighbours that were busy during one of the runs shift its upper half; a slower program shifts
  // all of it. So both ratios must exceed the threshold (0.05: 5 %), and be above 1 beyond chance.
  bool regression(double threshold) const;
};

// Two runs. Deterministic: the resampling draws from a fixed seed. Fewer than 5 samples on a side
// are not enough and prove nothing: surely is 1.
Change compare(const Samples& a, const Samples& b);

// Two programs in turn (bench/turns.h): a[i] and b[i] were taken one after the other, and share the
// machine's state. So the median is that of b[i] / a[i], the quarter that of the half of the pairs
// with the least a[i] b[i], and pairs are resampled.
Change compare_pairs(const std::vector<double>& a, const std::vector<double>& b);

struct Compared {
  std::string key;  // of the row, in both runs
  double before_s = 0, after_s = 0;
  Change change;
};
struct Comparison {
  std::string before, after;  // labels
  std::vector<Compared> rows;
  std::vector<std::string> only_before, only_after;  // keys
  std::vector<std::string> in_none;                  // asked for, but the device has no such kernel
};
Comparison compare(const Results& a, const Results& b);

// One line per row, the largest change first; those beyond the threshold are marked.
std::string to_text(const Comparison& comparison, double threshold);
int regressions(const Comparison& comparison, double threshold);
// Keys of rows that may be slower and do not show it: they ran before only, or have too few
// samples.
std::vector<std::string> unproven(const Comparison& comparison);

// "5%" or "0.05". Error usage for anything else, for what is not positive, and for a share of 1 or
// more: 5 is more likely 5% than 500%.
double threshold_of(const std::string& text);

}  // namespace xf::bench
