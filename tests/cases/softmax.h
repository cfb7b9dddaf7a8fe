// Masked softmax: shapes and masks, each with its reason, and the definition in f64.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

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

inline std::vector<double> softmax_reference(const SoftmaxCase& c, const std::vector<double>& s) {
  std::vector<double> p(s.size(), 0.0);
  for (int64_t row = 0; row < c.B * c.H * c.Sq; ++row) {
    const int64_t b = row / (c.H * c.Sq), i = row % c.Sq;
    const auto visible = [&](int64_t j) {
      return (c.lengths.empty() || j < c.lengths[b]) && (!c.causal || j <= i) &&
             (c.mask.empty() || c.mask[(b * c.Sq + i) * c.Sk + j] != 0);
    };
    double sum = 0;
    for (int64_t j = 0; j < c.Sk; ++j) sum += visible(j) ? std::exp(s[row * c.Sk + j]) : 0;
    for (int64_t j = 0; j < c.Sk; ++j) p[row * c.Sk + j] = visible(j) ? std::exp(s[row * c.Sk + j]) / sum : 0;
  }
  return p;
}

}  // namespace xf::tests
