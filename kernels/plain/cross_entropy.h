// Cross-entropy with label smoothing of one row of logits: docs/derivations/cross_entropy.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace xf::kernels::plain {

struct RowLoss {
  double smoothed, unsmoothed;
};

inline RowLoss cross_entropy(int64_t V, int64_t target, double smoothing,
                             const double* z,  // [V]
                             double* dz) {     // [V], written; may be z
  const double top = *std::max_element(z, z + V), size = static_cast<double>(V);
  double sum = 0, mean = 0;
  for (int64_t v = 0; v < V; ++v) sum += std::exp(z[v] - top);
  // 0 times a mean of -infinity is NaN
  for (int64_t v = 0; v < V && smoothing > 0; ++v) mean += z[v] / size;
  const double lse = top + std::log(sum);
  const double unsmoothed = lse - z[target];
  const double smoothed = lse - (1 - smoothing) * z[target] - smoothing * mean;  // CE1
  for (int64_t v = 0; v < V; ++v) {
    const double p = std::exp(z[v] - lse);  // CE2
    const double q = (v == target ? 1 - smoothing : 0) + smoothing / size;
    dz[v] = p - q;  // CE3
  }
  return {smoothed, unsmoothed};
}

}  // namespace xf::kernels::plain
