// The k best of a row: shapes, each with its reason, and the definition in f64 (sort everything).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace xf::tests {

struct TopKCase {
  const char* reason;
  int64_t N, V, K;
  std::vector<int32_t> banned;
};

inline std::vector<TopKCase> top_k_cases() {
  return {
      {"smallest", 1, 1, 1, {}},
      {"all of the row, in order", 3, 13, 13, {}},
      {"all but the banned", 2, 7, 5, {6, 0}},
      {"around a block", 5, 65, 4, {64}},
      {"a real vocabulary", 31, 10000, 5, {1, 2}},
      {"a wide beam", 3, 4099, 16, {}},
      {"the longest row that is left to a warp", 2, 1024, 3, {5}},
      {"the shortest row of a block", 2, 1025, 3, {5}},
      {"more of a row than it has threads' bests", 2, 1500, 64, {}},
      {"a large vocabulary", 1, 50000, 5, {1, 2}},
      {"more rows than a grid's second axis has blocks", 70001, 3, 2, {0}},
  };
}

struct TopKReference {
  std::vector<double> scores, ids;  // [N, K]
};

inline TopKReference top_k_reference(const TopKCase& c, const std::vector<double>& z) {
  TopKReference result;
  for (int64_t n = 0; n < c.N; ++n) {
    const double* const row = z.data() + n * c.V;
    double sum = 0;
    for (int64_t v = 0; v < c.V; ++v) sum += std::exp(row[v]);
    std::vector<int32_t> order(static_cast<size_t>(c.V));
    std::iota(order.begin(), order.end(), 0);
    std::erase_if(order, [&](int32_t v) { return std::count(c.banned.begin(), c.banned.end(), v) > 0; });
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return row[a] > row[b]; });
    for (int64_t k = 0; k < c.K; ++k) {
      result.scores.push_back(row[order[k]] - std::log(sum));
      result.ids.push_back(order[k]);
    }
  }
  return result;
}

}  // namespace xf::tests
