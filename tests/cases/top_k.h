// The k best of a row: shapes, each with its reason, and what the plain kernel makes of them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plain/top_k.h"

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
  result.scores.resize(static_cast<size_t>(c.N * c.K));
  std::vector<int32_t> ids(result.scores.size());
  for (int64_t n = 0; n < c.N; ++n) {
    kernels::plain::log_softmax_top_k(c.V, c.K, &z[n * c.V], c.banned, &result.scores[n * c.K],
                                      &ids[n * c.K]);
  }
  result.ids.assign(ids.begin(), ids.end());
  return result;
}

}  // namespace xf::tests
