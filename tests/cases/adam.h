// Sizes of adam, and one update by its plain kernel.
#pragma once

#include <vector>

#include "kernels/plain/adam.h"

namespace xf::tests {

struct AdamCase {
  const char* why;
  int64_t P;
};

inline const std::vector<AdamCase>& adam_cases() {
  static const std::vector<AdamCase> cases = {{"smallest", 1},
                                              {"tail of a vector", 33},
                                              {"tail of a thread's eight", 127},
                                              {"one past a block", 4097},
                                              {"a prime", 10007},
                                              {"several threads", 70001}};
  return cases;
}

struct AdamState {
  std::vector<double> p, m, v;
};

// Update number t of a gradient `g` summed over `tokens` tokens.
inline void adam_reference(const kernels::AdamOptions& options, double learning_rate, int t, double tokens,
                           double clip_norm, const std::vector<double>& g, AdamState& state) {
  kernels::plain::adam(static_cast<int64_t>(g.size()), options, learning_rate, t, tokens, clip_norm, g.data(),
                       state.p.data(), state.m.data(), state.v.data());
}

}  // namespace xf::tests
