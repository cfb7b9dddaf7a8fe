// The softmax of one row, some of whose keys are masked: docs/derivations/softmax.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace xf::kernels::plain {

// attends(j): whether key j may be attended.
template <typename Attends>
void softmax_forward(int64_t K, const Attends& attends,
                     const double* s,  // [K]
                     double* p) {      // [K], written; may be s
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t j = 0; j < K; ++j) {
    if (attends(j)) top = std::max(top, s[j]);
  }
  for (int64_t j = 0; j < K; ++j) p[j] = attends(j) ? std::exp(s[j] - top) : 0;
  for (int64_t j = 0; j < K; ++j) sum += p[j];
  for (int64_t j = 0; j < K; ++j) p[j] = sum > 0 ? p[j] / sum : 0;  // SM1
}

inline void softmax_backward(int64_t K,
                             const double* dp,  // [K]
                             const double* p,   // [K]
                             double* ds) {      // [K], written
  double delta = 0;
  for (int64_t i = 0; i < K; ++i) delta += p[i] * dp[i];
  for (int64_t j = 0; j < K; ++j) ds[j] = p[j] * (dp[j] - delta);  // SM3
}

}  // namespace xf::kernels::plain
