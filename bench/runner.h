// From a request to results: the machine's ceilings, the training step, kernels, the ceilings
// again.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/kernel_timer.h"
#include "bench/results.h"
#include "bench/scope.h"

namespace xf::bench {

struct Request {
  // Regular expressions for whole names; "": all. A shape may be a sweep (bench/extents.h) instead.
  std::string fn, shape;
  std::string kernel;  // from elsewhere: `fn` is then the name of a function; "": none
  double kernel_limit_s = 60;
  std::string preset = "tiny";
  tests::Target target{Device::cpu(), DType::f32};
  std::string baseline = "none";
  bool check = false;
  bool times = true;   // false: rows have their error and nothing else
  TimerOptions timer;  // timer.samples also counts a step's
};

// What a request asks for. Error usage for names that choose nothing.
struct Choice {
  Scope scope;
  bool step = false;  // the training step
  std::vector<Case> cases;
};
Choice choice_of(const Request& request);

// Called with what is about to be timed.
using Progress = std::function<void(const std::string&)>;

// Rows of the training step and of the kernels that are asked for. Without a baseline each kernel
// is visited kVisits times, in turn with all others, so that a neighbour's busy second does not
// fall on one row alone; with one, ours, the peer and ours again follow each other. Error failure
// where check finds a kernel that disagrees with its definition.
constexpr int kVisits = 3;
// `keep` is called after each row with what there is so far, floors from the first look at the
// machine: a run that is stopped has lost nothing.
using Keep = std::function<void(const Results&)>;
Results run(const Request& request, const Progress& progress, const Keep& keep);

// What a request chooses, one name and shape per line.
std::string list(const Request& request);

}  // namespace xf::bench
