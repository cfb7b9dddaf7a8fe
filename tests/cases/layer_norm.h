// Shapes of layer_norm, and what its plain kernel makes of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/plain/layer_norm.h"

namespace xf::tests {

struct LayerNormCase {
  const char* why;
  int64_t N, D;
  double mean = 0, spread = 1;  // of x
  double f32_tolerance = 1e-5;
};

inline const std::vector<LayerNormCase>& layer_norm_cases() {
  static const std::vector<LayerNormCase> cases = {
      {"smallest", 1, 1},
      {"tail of a warp", 3, 33},
      {"odd and prime", 31, 7},
      {"a warp's width", 5, 32},
      {"no more than a constant per row", 9, 1},
      {"one short of a vector", 2, 127},
      {"tail of a vector load", 7, 130},
      {"rows beyond one block of column sums", 129, 31},
      {"model width", 4, 512},
      {"between two numbers of registers", 6, 257},
      {"the widest row that a warp holds on a GPU", 17, 1024},
      {"one column more", 18, 1025},
      {"a block of threads per row on a GPU", 2, 4096},
      {"a wide prime row", 2, 10007},
      {"more rows than a GPU's grid is high", 65549, 11},
      // half a step of f32 at 1e4, the least error of a saved mean, is 5e-4; a few of them against
      // a spread of 1e-2
      {"cancellation: mean 1e4, spread 1e-2", 3, 64, 1e4, 1e-2, 0.15},
      // variance 0: xhat is 0, rstd 1/sqrt(eps)
      {"constant rows", 3, 16, 2, 0},
  };
  return cases;
}

struct LayerNormReference {
  std::vector<double> y, mean, rstd, dx, dgamma, dbeta;

  // dx is a difference of terms of this size, so its rounding error is relative to it: in a row of
  // variance 0 the terms are of size 316 and dx is 0.
  double dx_terms() const { return *std::max_element(rstd.begin(), rstd.end()); }
};

inline LayerNormReference layer_norm_reference(const std::vector<double>& x, const std::vector<double>& gamma,
                                               const std::vector<double>& beta, const std::vector<double>& dy,
                                               int64_t N, int64_t D, double eps) {
  const auto rows = static_cast<size_t>(N), width = static_cast<size_t>(D);
  LayerNormReference r;
  r.y.resize(x.size()), r.dx.resize(x.size()), r.mean.resize(rows), r.rstd.resize(rows);
  r.dgamma.resize(width), r.dbeta.resize(width);
  kernels::plain::layer_norm_forward(N, D, eps, x.data(), gamma.data(), beta.data(), r.y.data(),
                                     r.mean.data(), r.rstd.data());
  kernels::plain::layer_norm_backward(N, D, dy.data(), x.data(), gamma.data(), r.mean.data(), r.rstd.data(),
                                      r.dx.data(), r.dgamma.data(), r.dbeta.data());
  return r;
}

}  // namespace xf::tests
