// One line of results, for a kernel and for a whole step alike.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/extents.h"
#include "bench/interleaved_timer.h"
#include "bench/tuning.h"

namespace xf::bench {

// A share of a step's floor.
struct Part {
  std::string name;
  double seconds = 0;
};

struct Row {
  std::string fn, shape, dtype, device;
  Samples samples;              // of ours; empty where nothing ran, and then `note` says why
  double bytes = 0, flops = 0;  // 0: not counted
  double floor_s = kUnknown;
  std::string baseline = "none";  // with its version, once it has run
  double baseline_s = kUnknown;   // its median; unknown where it did not run
  Tuning tuning;                  // of the baseline; where it has settings
  std::string note;               // why something is missing, or not to be trusted
  std::vector<Part> parts;        // steps: what the floor consists of
  double tokens = 0;              // of the target side in one run; 0: not a matter of tokens
  double peak_bytes = 0;          // resident memory of the process that ran it; 0: not looked at
  double x = kUnknown;            // --scaling: the number that varies
  Extents extents;                // the sizes by name, where they were free to choose
  double error = kUnknown;        // against the f64 definition, relative to the largest expected
                                  // element
  double allowed = kUnknown;      // what it may be

  bool ran() const { return !samples.seconds.empty(); }
  double quantile(double q) const { return ran() ? samples.quantile(q) : kUnknown; }
  double median() const { return quantile(0.5); }
  double bytes_per_second() const { return bytes > 0 ? bytes / median() : kUnknown; }
  double flops_per_second() const { return flops > 0 ? flops / median() : kUnknown; }
  double of_floor() const { return floor_s / median(); }  // 1: as fast as the floor
  double ratio() const { return baseline_s / median(); }  // > 1: ours is faster
  void add_note(const std::string& text) { note += (note.empty() ? "" : "; ") + text; }
  // What a row is called in two runs of the same thing.
  std::string key() const { return fn + " " + shape + " " + dtype + " " + device; }
  // Ours (a) and the baseline (b), timed in turn. The ratio is the median of neighbouring turns',
  // and the baseline's time what it makes of our median; the note says how the ratios scatter.
  void set_turns(const Turns& turns);
  // The quartiles of those ratios, read from the note; none where the row was not timed so.
  std::optional<std::pair<double, double>> ratio_quartiles() const;
};

// Ours, peer, ours again: two medians of ours that differ by more than kMostDrift prove nothing
// about the peer.
constexpr double kMostDrift = 0.03;
void note_drift(Row& row, double first, double second);

}  // namespace xf::bench
