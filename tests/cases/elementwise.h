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
  };
}

}  // namespace xf::tests
