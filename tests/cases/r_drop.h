// Shapes of r_drop, and what its plain kernel makes of them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plain/r_drop.h"
#include "tests/cases/cross_entropy.h"

namespace xf::tests {

using RDropCase = CrossEntropyCase;  // N pairs

inline const std::vector<RDropCase>& r_drop_cases() {
  static const std::vector<RDropCase> cases = {
      {"smallest: one word, no divergence", 1, 1, 0, 1},
      {"two words, no smoothing", 3, 2, 0, 1},
      {"tail of a warp", 5, 33, 0.1, 1},
      {"one short of a vector", 31, 127, 0.1, 3},
      {"one past a vector", 7, 129, 0.1, 3},
      {"pairs beyond one block", 130, 31, 0.1, 1},
      {"large logits: exp overflows without the maximum", 4, 65, 0.1, 300},
      {"a vocabulary", 3, 10007, 0.1, 5},
      {"the longest row that is left to a warp", 6, 1024, 0.1, 3},
      {"the shortest row of a block", 6, 1025, 0.1, 3},
  };
  return cases;
}

struct RDropReference {
  double loss = 0, unsmoothed = 0;
  std::vector<double> dz, dbias;
};

// z [2N, V], bias [V] or empty; a pair with a target below 0 counts nothing.
inline RDropReference r_drop_reference(std::vector<double> z, const std::vector<double>& bias,
                                       const std::vector<int32_t>& targets, double smoothing,
                                       double divergence, int64_t V) {
  const size_t half = z.size() / 2, width = static_cast<size_t>(V);
  RDropReference r{0, 0, std::vector<double>(z.size()), std::vector<double>(width)};
  for (size_t i = 0; i < z.size() && !bias.empty(); ++i) z[i] += bias[i % width];
  for (size_t n = 0; n < targets.size(); ++n) {
    if (targets[n] < 0) continue;
    const size_t first = n * width, second = half + first;
    const auto loss = kernels::plain::r_drop(V, targets[n], smoothing, divergence, &z[first], &z[second],
                                             &r.dz[first], &r.dz[second]);
    r.loss += loss.smoothed;
    r.unsmoothed += loss.unsmoothed;
  }
  for (size_t i = 0; i < z.size(); ++i) r.dbias[i % width] += r.dz[i];
  return r;
}

}  // namespace xf::tests
