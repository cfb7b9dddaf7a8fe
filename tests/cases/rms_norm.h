// Shapes of rms_norm, and what its plain kernel makes of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/plain/rms_norm.h"

namespace xf::tests {

struct RmsNormCase {
  const char* why;
  int64_t N, D;
  double low = -1, high = 1;  // of x
};

inline const std::vector<RmsNormCase>& rms_norm_cases() {
  static const std::vector<RmsNormCase> cases = {
      {"smallest", 1, 1},
      {"odd and prime", 31, 7},
      {"tail of a warp", 3, 33},
      {"one short of a vector", 2, 127},
      {"tail of a vector load", 7, 130},
      {"rows beyond one block of column sums", 129, 31},
      {"model width", 4, 512},
      {"between two numbers of registers", 6, 257},
      {"the widest row that a warp holds on a GPU", 17, 1024},
      {"one column more", 18, 1025},
      {"a wide prime row", 2, 10007},
      {"more rows than a GPU's grid is high", 65549, 11},
      {"squares far from 1", 3, 64, 9e3, 1e4},
      {"zero rows: rstd is 1/sqrt(eps)", 3, 16, 0, 0},
  };
  return cases;
}

struct RmsNormReference {
  std::vector<double> y, rstd, dx, dgamma;

  // dx is a difference of terms of this size, so its rounding error is relative to it.
  double dx_terms() const { return *std::max_element(rstd.begin(), rstd.end()); }
};

inline RmsNormReference rms_norm_reference(const std::vector<double>& x, const std::vector<double>& gamma,
                                           const std::vector<double>& dy, int64_t N, int64_t D, double eps) {
  RmsNormReference r;
  r.y.resize(x.size()), r.dx.resize(x.size()), r.rstd.resize(static_cast<size_t>(N)),
      r.dgamma.resize(gamma.size());
  kernels::plain::rms_norm_forward(N, D, eps, x.data(), gamma.data(), r.y.data(), r.rstd.data());
  kernels::plain::rms_norm_backward(N, D, dy.data(), x.data(), gamma.data(), r.rstd.data(), r.dx.data(),
                                    r.dgamma.data());
  return r;
}

}  // namespace xf::tests
