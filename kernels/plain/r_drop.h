// The symmetric divergence of two softmaxes, and the loss that it is a part of:
// docs/derivations/r_drop.md.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plain/cross_entropy.h"
#include "kernels/plain/softmax.h"

namespace xf::kernels::plain {

// Two logits' difference; of a word that cannot come in either row 0.
inline double apart(double first, double second) { return first == second ? 0 : first - second; }
// What the factor p counts of x: nothing where it is 0, as of a word that cannot come, though x be
// infinite.
inline double counted(double p, double x) { return p == 0 ? 0 : x; }

// KL(p || q) + KL(q || p) of the softmaxes of two rows of logits.
inline double divergence(int64_t V, const double* first, const double* second,  // [V]
                         double* dfirst, double* dsecond) {                     // [V], written
  std::vector<double> p(first, first + V), q(second, second + V);
  const auto every = [](int64_t) { return true; };
  softmax_forward(V, every, first, p.data());
  softmax_forward(V, every, second, q.data());
  double p_mean = 0, q_mean = 0;  // of the logits' difference
  for (int64_t v = 0; v < V; ++v) {
    const double d = apart(first[v], second[v]);
    const double pv = p[static_cast<size_t>(v)], qv = q[static_cast<size_t>(v)];
    p_mean += pv * counted(pv, d);
    q_mean += qv * counted(qv, d);
  }
  for (int64_t v = 0; v < V; ++v) {
    const double d = apart(first[v], second[v]), pv = p[static_cast<size_t>(v)],
                 qv = q[static_cast<size_t>(v)];
    dfirst[v] = pv * counted(pv, d - p_mean) + pv - qv;   // SD2
    dsecond[v] = qv * counted(qv, q_mean - d) + qv - pv;  // SD3
  }
  return p_mean - q_mean;  // SD1
}

// Of a token's two rows of logits: their cross-entropies, and in the smoothed one `weight` times
// their divergence.
inline RowLoss r_drop(int64_t V, int64_t target, double smoothing, double weight, const double* first,
                      const double* second,               // [V]
                      double* dfirst, double* dsecond) {  // [V], written
  const RowLoss one = cross_entropy(V, target, smoothing, first, dfirst),
                other = cross_entropy(V, target, smoothing, second, dsecond);
  std::vector<double> dp(first, first + V), dq(second, second + V);
  if (weight == 0) return {one.smoothed + other.smoothed, one.unsmoothed + other.unsmoothed};
  const double divergent = divergence(V, first, second, dp.data(), dq.data());
  for (int64_t v = 0; v < V; ++v) {
    dfirst[v] += weight * dp[static_cast<size_t>(v)];
    dsecond[v] += weight * dq[static_cast<size_t>(v)];
  }
  return {one.smoothed + other.smoothed + weight * divergent, one.unsmoothed + other.unsmoothed};  // SD4
}

}  // namespace xf::kernels::plain
