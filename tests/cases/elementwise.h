// Elementwise ops: shapes, each with its reason. Their definitions are one line each, in the test.
#pragma once

#include <cstdint>
#include <vector>

namespace xf::tests {

struct RowsCase {
  const char* reason;
  int64_t N, D;
};

inline std::vector<RowsCase> rows_cases() {
  return {
      {"smallest", 1, 1},
      {"primes", 7, 13},
      {"around two registers", 3, 33},
      {"past two blocks of rows", 129, 31},
      {"the tiny model's width, enough for two threads", 300, 128},
      {"one short of a warp's span, columns left over", 65, 127},
      {"rows of several spans", 2, 10007},
      {"more rows than a grid's second axis has blocks, and than the warps of a grid", 70001, 3},
  };
}

}  // namespace xf::tests
