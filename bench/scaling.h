// Does the cost of a training step grow as it should? Time per token against batch tokens, sentence
// length, width and vocabulary, one varied at a time from the tiny model, and the floor's growth
// beside the measured one.
#pragma once

#include <string>
#include <vector>

#include "bench/runner.h"

namespace xf::bench {

// `keep` as in run().
Results run_scaling(const Request& request, const Progress& progress, const Keep& keep);

// The exponent s of time per token ~ x^s, by least squares over the logarithms.
struct Slope {
  std::string axis;
  double expected = 0;  // of the floor
  double measured = 0;
};
// One per axis, from rows whose shape is "axis=..." (run_scaling's); others are passed over.
std::vector<Slope> slopes_of(const std::vector<Row>& rows);

// The axis of a row of run_scaling; "" for others.
std::string axis_of(const Row& row);

}  // namespace xf::bench
