// Sizes of adam, and one update in f64 straight from Kingma, Ba 2015, algorithm 1.
#pragma once

#include <cmath>
#include <vector>

#include "kernels/adam.h"

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
  double squares = 0;
  for (const double value : g) squares += value / tokens * (value / tokens);
  const double clip = clip_norm > 0 ? std::min(1.0, clip_norm / std::sqrt(squares)) : 1.0;
  const double beta1 = options.beta1, beta2 = options.beta2, decay = options.weight_decay;
  for (size_t i = 0; i < g.size(); ++i) {
    double& p = state.p[i];
    const double gradient = g[i] / tokens * clip + (options.decoupled ? 0 : decay * p);
    state.m[i] = beta1 * state.m[i] + (1 - beta1) * gradient;
    state.v[i] = beta2 * state.v[i] + (1 - beta2) * gradient * gradient;
    const double m_hat = state.m[i] / (1 - std::pow(beta1, t)), v_hat = state.v[i] / (1 - std::pow(beta2, t));
    p -= learning_rate * (m_hat / (std::sqrt(v_hat) + options.eps) + (options.decoupled ? decay * p : 0));
  }
}

}  // namespace xf::tests
