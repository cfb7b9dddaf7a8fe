// Shapes of divergence, and what its plain kernel makes of them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plain/divergence.h"

namespace xf::tests {

struct DivergenceCase {
  const char* why;
  int64_t N, V;   // pairs, logits
  double spread;  // of the logits
};

inline const std::vector<DivergenceCase>& divergence_cases() {
  static const std::vector<DivergenceCase> cases = {
      {"smallest: one word, no divergence", 1, 1, 1},
      {"two words", 3, 2, 1},
      {"tail of a warp", 5, 33, 1},
      {"one short of a vector", 31, 127, 3},
      {"one past a vector", 7, 129, 3},
      {"pairs beyond one block", 130, 31, 1},
      {"large logits: exp overflows without the maximum", 4, 65, 300},
      {"a vocabulary", 3, 10007, 5},
      {"the longest row that is left to a warp", 6, 1024, 3},
      {"the shortest row of a block", 6, 1025, 3},
  };
  return cases;
}

struct DivergenceReference {
  double loss = 0;
  std::vector<double> dz;
};

// z [2N, V], bias [V] or empty; a pair with a target below 0 counts nothing.
inline DivergenceReference divergence_reference(std::vector<double> z, const std::vector<double>& bias,
                                                const std::vector<int32_t>& targets, double weight,
                                                int64_t V) {
  DivergenceReference r{0, std::vector<double>(z.size())};
  for (size_t i = 0; i < z.size() && !bias.empty(); ++i) z[i] += bias[i % bias.size()];
  const size_t half = z.size() / 2, width = static_cast<size_t>(V);
  for (size_t n = 0; n < targets.size(); ++n) {
    if (targets[n] < 0) continue;
    double *const first = &r.dz[n * width], *const second = &r.dz[half + n * width];
    r.loss += weight * kernels::plain::divergence(V, &z[n * width], &z[half + n * width], first, second);
    for (size_t v = 0; v < width; ++v) first[v] *= weight, second[v] *= weight;
  }
  return r;
}

}  // namespace xf::tests
