// Shapes of cross_entropy, and what its plain kernel makes of them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plain/cross_entropy.h"

namespace xf::tests {

struct CrossEntropyCase {
  const char* why;
  int64_t N, V;
  double smoothing, spread;  // of the logits
};

inline const std::vector<CrossEntropyCase>& cross_entropy_cases() {
  static const std::vector<CrossEntropyCase> cases = {
      {"smallest: one word, loss 0", 1, 1, 0, 1},
      {"two words, no smoothing", 3, 2, 0, 1},
      {"tail of a warp", 5, 33, 0.1, 1},
      {"one short of a vector", 31, 127, 0.1, 3},
      {"one past a vector", 7, 129, 0.1, 3},
      {"rows beyond one block", 130, 31, 0.1, 1},
      {"large logits: exp overflows without the maximum", 4, 65, 0.1, 300},
      {"a vocabulary", 3, 10007, 0.1, 5},
      {"the longest row that is left to a warp", 6, 1024, 0.1, 3},
      {"the shortest row of a block", 6, 1025, 0.1, 3},
      {"a large vocabulary", 2, 50000, 0.1, 5},
      {"more rows than a grid's second axis has blocks", 70001, 3, 0.1, 2},
  };
  return cases;
}

// Every fifth row is ignored (target -1).
inline std::vector<int32_t> cross_entropy_targets(int64_t N, int64_t V) {
  std::vector<int32_t> targets;
  for (int64_t n = 0; n < N; ++n) targets.push_back(n % 5 == 4 ? -1 : static_cast<int32_t>(n * 7 % V));
  return targets;
}

struct CrossEntropyReference {
  double loss = 0, unsmoothed = 0;
  std::vector<double> dz;
};

inline CrossEntropyReference cross_entropy_reference(const std::vector<double>& z,
                                                     const std::vector<int32_t>& targets, double smoothing,
                                                     int64_t V) {
  CrossEntropyReference r;
  r.dz.resize(z.size());
  const auto width = static_cast<size_t>(V);
  for (size_t n = 0; n < targets.size(); ++n) {
    if (targets[n] < 0) continue;
    const auto loss =
        kernels::plain::cross_entropy(V, targets[n], smoothing, &z[n * width], &r.dz[n * width]);
    r.loss += loss.smoothed;
    r.unsmoothed += loss.unsmoothed;
  }
  return r;
}

}  // namespace xf::tests
