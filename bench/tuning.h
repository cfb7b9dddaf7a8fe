// In which setting a peer is compared: the fastest of those it offers, found in two rounds.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/interleaved_timer.h"

namespace xf::bench {

// One way to run a peer.
struct Setting {
  std::string name;                                // "MKL, 2 replicas of 1 thread"
  std::map<std::string, std::string> environment;  // which its process has from the start
  std::string options = "{}";                      // a JSON object, for its script
};

// What a peer says can be set.
struct Offer {
  std::vector<Setting> settings;     // first round, on a sample of the work where it has one
  std::vector<Setting> refinements;  // second round: each of the `kept` fastest with each of these,
                                     // on all of
                                     // the work; none: no second round
  int kept = 2;
  int turns = 2;         // of a setting in a round; its time is the least of them
  double limit_s = 600;  // a setting that takes longer to answer does not run
};
// {"settings": [{"name", "environment": {...}, "options": {...}}], "refinements": [...], "kept",
// "turns", "limit_s"}, all but settings optional. Error failure for anything else.
Offer offer_from(const std::string& json);

// A setting that was timed.
struct Tried {
  std::string setting, on;    // on what: "128 lines"
  double seconds = kUnknown;  // unknown where it does not run
  std::string why_not = {};
};

struct Tuning {
  std::string chosen, why;  // the setting's name; "fastest of 8 settings on 128 lines"
  std::vector<Tried> tried;
};

struct Tuned {
  Setting setting;
  Tuning tuning;
};

using TimeSetting = std::function<Tried(const Setting& setting, bool sample)>;

// Settings of one environment are timed one after the other. Error failure, with the first reason,
// where none runs.
Tuned tune(const Offer& offer, const TimeSetting& time);

}  // namespace xf::bench
