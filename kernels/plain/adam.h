// One update of Adam: docs/derivations/adam.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/adam.h"

namespace xf::kernels::plain {

// Update number t, from 1. The gradient is a sum over `tokens` tokens; clip_norm 0: off.
inline void adam(int64_t P, const AdamOptions& options, double learning_rate, int64_t t, double tokens,
                 double clip_norm,
                 const double* g,  // [P]
                 double* p,        // [P], updated
                 double* mu,       // [P], updated: the first moment
                 double* nu) {     // [P], updated: the second
  const double beta1 = options.beta1, beta2 = options.beta2, decay = options.weight_decay;
  double squares = 0;
  for (int64_t i = 0; i < P; ++i) squares += g[i] / tokens * (g[i] / tokens);
  const double clip = clip_norm > 0 ? std::min(1.0, clip_norm / std::sqrt(squares)) : 1.0;
  for (int64_t i = 0; i < P; ++i) {
    const double scaled = g[i] / tokens * clip + (options.decoupled ? 0 : decay * p[i]);  // AD1
    mu[i] = beta1 * mu[i] + (1 - beta1) * scaled;                                         // AD2
    nu[i] = beta2 * nu[i] + (1 - beta2) * scaled * scaled;                                // AD3
    const double mu_hat = mu[i] / (1 - std::pow(beta1, t)), nu_hat = nu[i] / (1 - std::pow(beta2, t));
    const double step = mu_hat / (std::sqrt(nu_hat) + options.eps);
    p[i] -= learning_rate * (step + (options.decoupled ? decay * p[i] : 0));  // AD4
  }
}

}  // namespace xf::kernels::plain
