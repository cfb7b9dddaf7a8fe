// Shapes of embedding, a batch's index arrays, and what its plain kernel makes of them.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/plain/embedding.h"
#include "tests/cases/dropout_factor.h"
#include "tests/cases/quantized_linear.h"

namespace xf::tests {

struct EmbeddingCase {
  const char* why;
  int64_t N, V, D;
};

inline const std::vector<EmbeddingCase>& embedding_cases() {
  static const std::vector<EmbeddingCase> cases = {
      {"smallest", 1, 1, 1},
      {"one word, many tokens: one writer", 37, 1, 5},
      {"more words than tokens", 5, 31, 33},
      {"tail of a vector, tail of a dropout block", 17, 7, 127},
      {"several threads", 300, 23, 130},
      {"model width", 8, 50, 512},
      {"as many tokens of a word as a warp adds alone", 32, 1, 31},
      {"one more", 33, 1, 33},
      {"a word of most of the tokens: more than a block of warps takes at a time", 1100, 3, 12},
      {"a wide row", 3, 2, 10007},
      {"more tokens than a grid's second axis has blocks", 70001, 5000, 3},
  };
  return cases;
}

struct EmbeddingIndices {
  std::vector<int32_t> ids, positions, order;
};

// Frequent and rare words, sentences of 7, and the stable order that a batch carries.
inline EmbeddingIndices embedding_indices(int64_t N, int64_t V, uint64_t seed) {
  PhiloxSequence random(seed, 1);
  EmbeddingIndices indices;
  for (int64_t n = 0; n < N; ++n) {
    const auto v = static_cast<uint32_t>(V);
    indices.ids.push_back(static_cast<int32_t>(std::min(random.below(v), random.below(v))));
    indices.positions.push_back(static_cast<int32_t>(n % 7));
  }
  indices.order.resize(indices.ids.size());
  std::iota(indices.order.begin(), indices.order.end(), 0);
  std::stable_sort(indices.order.begin(), indices.order.end(), [&](int32_t a, int32_t b) {
    return indices.ids[static_cast<size_t>(a)] < indices.ids[static_cast<size_t>(b)];
  });
  return indices;
}

// x [N, D]
inline std::vector<double> embedding_reference(const EmbeddingIndices& indices,
                                               const std::vector<double>& table,
                                               const std::vector<double>& position_table, double scale,
                                               const kernels::Dropout& dropout, int64_t D) {
  const auto N = static_cast<int64_t>(indices.ids.size());
  std::vector<double> x(static_cast<size_t>(N * D));
  kernels::plain::embedding_forward(N, D, scale, indices.ids.data(), indices.positions.data(), table.data(),
                                    position_table.data(), dropout_factors(dropout, N, D).data(), x.data());
  return x;
}

// Of the table [V, D], rounded to eight bits.
inline std::vector<double> quantized_embedding_reference(const EmbeddingIndices& indices,
                                                         const std::vector<double>& table,
                                                         const std::vector<double>& position_table,
                                                         double scale, int64_t D) {
  const auto N = static_cast<int64_t>(indices.ids.size());
  const RoundedRows rounded = rounded_rows(table, static_cast<int64_t>(table.size()) / D, D);
  std::vector<double> x(static_cast<size_t>(N * D));
  kernels::plain::quantized_embedding_forward(N, D, scale, indices.ids.data(), indices.positions.data(),
                                              rounded.values.data(), rounded.scales.data(),
                                              position_table.data(), x.data());
  return x;
}

// dtable [V, D]
inline std::vector<double> embedding_backward_reference(const std::vector<double>& dx,
                                                        const std::vector<int32_t>& ids, double scale,
                                                        const kernels::Dropout& dropout, int64_t V,
                                                        int64_t D) {
  const auto N = static_cast<int64_t>(ids.size());
  std::vector<double> dtable(static_cast<size_t>(V * D));
  kernels::plain::embedding_backward(N, D, scale, dx.data(), ids.data(),
                                     dropout_factors(dropout, N, D).data(), dtable.data());
  return dtable;
}

}  // namespace xf::tests
