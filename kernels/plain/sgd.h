// One update of gradient descent with momentum: docs/derivations/sgd.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/sgd.h"

namespace xf::kernels::plain {

// The gradient is a sum over `tokens` tokens; clip_norm 0: off.
inline void sgd(int64_t P, const SgdOptions& options, double learning_rate, double tokens, double clip_norm,
                const double* g,  // [P]
                double* p,        // [P], updated
                double* mu) {     // [P], updated: the running sum of gradients
  const double momentum = options.momentum, decay = options.weight_decay;
  double squares = 0;
  for (int64_t i = 0; i < P; ++i) squares += g[i] / tokens * (g[i] / tokens);
  const double clip = clip_norm > 0 ? std::min(1.0, clip_norm / std::sqrt(squares)) : 1.0;
  for (int64_t i = 0; i < P; ++i) {
    const double scaled = g[i] / tokens * clip + decay * p[i];  // SG1
    mu[i] = momentum * mu[i] + scaled;                          // SG2
    p[i] -= learning_rate * mu[i];                              // SG3
  }
}

}  // namespace xf::kernels::plain
