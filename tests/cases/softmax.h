// Masked softmax: shapes and masks, each with its reason, and what the plain kernel makes of them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plain/softmax.h"

namespace xf::tests {

struct SoftmaxCase {
  const char* reason;
  int64_t B, H, Sq, Sk;
  std::vector<int32_t> lengths;  // empty: all keys
  bool causal;
  std::vector<int32_t> mask;  // [B, Sq, Sk]; empty: all ones
};

// Ones and zeros without a pattern; row 1 of every sentence masked as a whole.
inline std::vector<int32_t> scattered_mask(int64_t B, int64_t Sq, int64_t Sk) {
  std::vector<int32_t> mask;
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t i = 0; i < Sq; ++i) {
      for (int64_t j = 0; j < Sk; ++j) mask.push_back(i != 1 && (3 * b + 5 * i + j * j) % 4 != 0 ? 1 : 0);
    }
  }
  return mask;
}

inline std::vector<SoftmaxCase> softmax_cases() {
  return {
      {"smallest", 1, 1, 1, 1, {}, false, {}},
      {"primes", 2, 3, 5, 7, {}, false, {}},
      {"around two registers, causal", 1, 2, 33, 33, {}, true, {}},
      {"lengths, one of them 0: rows without a key", 3, 2, 4, 31, {31, 0, 5}, false, {}},
      {"lengths and causal, more queries than keys", 2, 1, 9, 6, {6, 4}, true, {}},
      {"mask with empty rows", 2, 2, 3, 129, {}, false, scattered_mask(2, 3, 129)},
      {"all three", 2, 3, 5, 17, {17, 3}, true, scattered_mask(2, 5, 17)},
  };
}

// Too large for central differences.
inline std::vector<SoftmaxCase> large_softmax_cases() {
  return {
      {"a warp's width", 2, 2, 3, 32, {32, 31}, false, {}},
      {"two keys to a lane of a warp, and one key more", 1, 2, 65, 65, {}, true, {}},
      {"a tail of eight keys to a lane", 1, 2, 3, 127, {}, false, {}},
      {"short rows with an end, more than a run of them", 2, 3, 61, 14, {14, 9}, false, {}},
      {"the same, masked and causal", 1, 2, 70, 12, {}, true, scattered_mask(1, 70, 12)},
      {"hidden keys in the last register, in the one before, and in all",
       3,
       1,
       20,
       63,
       {62, 40, 0},
       false,
       {}},
      {"a short row's last keys, masked", 1, 3, 19, 24, {}, false, scattered_mask(1, 19, 24)},
      {"between short rows and long ones", 2, 2, 5, 100, {100, 77}, false, {}},
      {"the same, masked and causal", 2, 2, 5, 100, {100, 3}, true, scattered_mask(2, 5, 100)},
      {"beyond eight keys to a lane", 2, 1, 3, 257, {257, 250}, false, scattered_mask(2, 3, 257)},
      {"the longest row that a warp holds", 1, 1, 3, 1024, {}, false, {}},
      {"a block of threads per row, all three masks",
       2,
       2,
       3,
       1025,
       {1025, 600},
       true,
       scattered_mask(2, 3, 1025)},
      {"long rows of whole 16 bytes, one of them without a key", 2, 1, 2, 4096, {4096, 0}, false, {}},
      {"long rows of prime length", 1, 1, 2, 10007, {}, false, scattered_mask(1, 2, 10007)},
      {"more rows than a grid is high", 1, 4, 16411, 3, {2}, true, {}},
  };
}

inline std::vector<double> softmax_reference(const SoftmaxCase& c, const std::vector<double>& s) {
  std::vector<double> p(s.size(), 0.0);
  for (int64_t row = 0; row < c.B * c.H * c.Sq; ++row) {
    const int64_t b = row / (c.H * c.Sq), i = row % c.Sq;
    const auto visible = [&](int64_t j) {
      return (c.lengths.empty() || j < c.lengths[b]) && (!c.causal || j <= i) &&
             (c.mask.empty() || c.mask[(b * c.Sq + i) * c.Sk + j] != 0);
    };
    kernels::plain::softmax_forward(c.Sk, visible, &s[row * c.Sk], &p[row * c.Sk]);
  }
  return p;
}

inline std::vector<double> softmax_backward_reference(const std::vector<double>& dp,
                                                      const std::vector<double>& p, int64_t width) {
  std::vector<double> ds(p.size());
  for (size_t first = 0; first < p.size(); first += static_cast<size_t>(width)) {
    kernels::plain::softmax_backward(width, &dp[first], &p[first], &ds[first]);
  }
  return ds;
}

}  // namespace xf::tests
