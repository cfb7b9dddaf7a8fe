// Dropout: shapes, each with its reason. The reference, one element at a time: dropout_factor.h.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/cases/dropout_factor.h"

namespace xf::tests {

struct DropoutCase {
  const char* reason;
  int64_t N, D;
};

inline std::vector<DropoutCase> dropout_cases() {
  return {
      {"smallest", 1, 1},           {"within one counter", 3, 3},
      {"tail of a counter", 5, 31}, {"tail of a run", 2, 127},
      {"just past a run", 7, 129},  {"the base model's width", 33, 512},
      {"a wide row", 2, 10007},     {"more rows than a grid's second axis has blocks", 70001, 3},
  };
}

}  // namespace xf::tests
