// Times of repeated runs on a machine that others may be using too.
#pragma once

#include <functional>
#include <limits>
#include <vector>

namespace xf::bench {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Seconds on a clock that only goes forward.
double now();

struct Samples {
  std::vector<double> seconds;  // sorted
  int disturbed = 0;            // how many of them, for want of quiet ones, were taken while others
                                // were busy

  // q in [0, 1], linear between neighbours; 0.5 is the median.
  double quantile(double q) const;
  static Samples of(std::vector<double> seconds);  // in any order
  // Takes in the samples of another run of the same thing.
  void add(const Samples& other);
};

constexpr double kOthersAllowed = 0.05;  // of a core; a sample during which others used more is
                                         // disturbed

struct TimingOptions {
  int warm_ups = 3;
  int samples = 15;
  int attempts = 2;  // per sample; after that, disturbed ones fill the gap
};

// Watches the processors that this process may run on, from its construction on.
class Neighbours {
 public:
  Neighbours();
  // Whether others, processes and (steal) guests of the same host, used more than kOthersAllowed of
  // a core: busy and stolen time of /proc/stat less what this process and its finished children
  // used (nobody, where there is no /proc/stat). Or whether the processors were slowed(), at the
  // beginning or now.
  bool disturbed() const;

 private:
  double others_, start_;
  bool slowed_;
};

// Whether copies within the first-level cache take longer than ever before in this process, by more
// than a quarter. So they do, by half and more, while somebody works on the other hyper-thread of
// our cores, who shares that cache. Where that is another guest of the host, no counter of a guest
// shows it.
bool slowed();

// Runs `run` until there are enough undisturbed samples.
Samples sample(const TimingOptions& options, const std::function<void()>& run);

// Two things that are compared, in turn: a b b a a b ... What slows a machine down for seconds or
// minutes (neighbours on the memory bus or on the other thread of a core, the clock) then slows
// both, and leaves the ratio of two neighbouring turns as it is.
struct Turns {
  std::vector<double> a, b;  // seconds; a[i] and b[i] were taken one after the other
};
Turns take_turns(int turns, const std::function<double()>& a, const std::function<double()>& b);

// Peak resident memory of this process, bytes, since its start or since the last reset (which needs
// Linux's /proc).
double peak_resident_bytes();
void reset_peak_resident();

}  // namespace xf::bench
