// Shapes of rms_norm, and its f64 reference straight from the definition (kernels/rms_norm.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

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

// The gradient by the Jacobian of docs/derivations/rms_norm.md, not by its contraction with g.
inline RmsNormReference rms_norm_reference(const std::vector<double>& x, const std::vector<double>& gamma,
                                           const std::vector<double>& dy, int64_t N, int64_t D, double eps) {
  const auto rows = static_cast<size_t>(N), width = static_cast<size_t>(D);
  RmsNormReference r;
  r.y.resize(rows * width), r.dx.resize(rows * width), r.dgamma.resize(width);
  std::vector<double> xhat(width);
  for (size_t n = 0; n < rows; ++n) {
    const double *const row = x.data() + n * width, *const above = dy.data() + n * width;
    double squares = 0;
    for (size_t i = 0; i < width; ++i) squares += row[i] * row[i];
    const double rstd = 1 / std::sqrt(squares / static_cast<double>(D) + eps);
    r.rstd.push_back(rstd);
    for (size_t i = 0; i < width; ++i) {
      xhat[i] = row[i] * rstd;
      r.y[n * width + i] = gamma[i] * xhat[i];
      r.dgamma[i] += above[i] * xhat[i];
    }
    for (size_t j = 0; j < width; ++j) {
      double correlated = 0;
      for (size_t i = 0; i < width; ++i) correlated += above[i] * gamma[i] * xhat[i] * xhat[j];
      r.dx[n * width + j] = rstd * (above[j] * gamma[j] - correlated / static_cast<double>(D));
    }
  }
  return r;
}

}  // namespace xf::tests
