// The symmetric divergence of two softmaxes: docs/derivations/divergence.md.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plain/softmax.h"

namespace xf::kernels::plain {

// KL(p || q) + KL(q || p) of the softmaxes of two rows of logits.
inline double divergence(int64_t V, const double* first, const double* second,  // [V]
                         double* dfirst, double* dsecond) {                     // [V], written
  std::vector<double> p(first, first + V), q(second, second + V);
  const auto every = [](int64_t) { return true; };
  softmax_forward(V, every, first, p.data());
  softmax_forward(V, every, second, q.data());
  double p_mean = 0, q_mean = 0;  // of the logits' difference
  for (int64_t v = 0; v < V; ++v) {
    const double d = first[v] - second[v];
    p_mean += p[static_cast<size_t>(v)] * d;
    q_mean += q[static_cast<size_t>(v)] * d;
  }
  for (int64_t v = 0; v < V; ++v) {
    const double d = first[v] - second[v], pv = p[static_cast<size_t>(v)], qv = q[static_cast<size_t>(v)];
    dfirst[v] = pv * (d - p_mean) + pv - qv;   // SD2
    dsecond[v] = qv * (q_mean - d) + qv - pv;  // SD3
  }
  return p_mean - q_mean;  // SD1
}

}  // namespace xf::kernels::plain
