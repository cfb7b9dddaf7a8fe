// residual_norm's f64 reference: dropout by definition, then layer_norm's reference. The shapes are
// layer_norm's.
#pragma once

#include "tests/cases/dropout_factor.h"
#include "tests/cases/layer_norm.h"

namespace xf::tests {

struct ResidualNormReference {
  std::vector<double> sum;
  LayerNormReference norm;  // dx: with dsum added (1)
  std::vector<double> ds;   // (2)
};

inline ResidualNormReference residual_norm_reference(
    const std::vector<double>& x, const std::vector<double>& s, const kernels::Dropout& dropout,
    const std::vector<double>& gamma, const std::vector<double>& beta, const std::vector<double>& dy,
    const std::vector<double>& dsum, int64_t N, int64_t D, double eps) {
  ResidualNormReference r;
  r.sum = x;
  for (int64_t i = 0; i < N * D; ++i) {
    r.sum[static_cast<size_t>(i)] += s[static_cast<size_t>(i)] * dropout_factor(dropout, i / D, i % D);
  }
  r.norm = layer_norm_reference(r.sum, gamma, beta, dy, N, D, eps);
  for (int64_t i = 0; i < N * D; ++i) {
    double& dx = r.norm.dx[static_cast<size_t>(i)];
    dx += dsum[static_cast<size_t>(i)];
    r.ds.push_back(dx * dropout_factor(dropout, i / D, i % D));
  }
  return r;
}

}  // namespace xf::tests
