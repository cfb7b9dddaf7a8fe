// The K best tokens of a row of logits, and their log-probabilities: docs/derivations/top_k.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace xf::kernels::plain {

inline void log_softmax_top_k(int64_t V, int64_t K,
                              const double* z,                     // [V]
                              const std::vector<int32_t>& banned,  // ids that never come out
                              double* scores,                      // [K], written
                              int32_t* ids) {                      // [K], written
  const double top = *std::max_element(z, z + V);
  double sum = 0;
  for (int64_t v = 0; v < V; ++v) sum += std::exp(z[v] - top);
  const double lse = top + std::log(sum);
  std::vector<int32_t> order(static_cast<size_t>(V));
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int32_t v) { return std::count(banned.begin(), banned.end(), v) > 0; });
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return z[a] > z[b]; });  // TK2
  for (int64_t k = 0; k < K; ++k) {
    ids[k] = order[static_cast<size_t>(k)];
    scores[k] = z[ids[k]] - lse;  // TK1
  }
}

}  // namespace xf::kernels::plain
