// residual_norm's f64 reference: dropout by definition, then layer_norm's reference of the sum that the op
// stored, which is the one that it normalises. The shapes are layer_norm's.
#pragma once

#include "tests/cases/dropout_factor.h"
#include "tests/cases/layer_norm.h"

namespace xf::tests {

inline std::vector<double> residual_sum_reference(const std::vector<double>& x, const std::vector<double>& s,
                                                  const kernels::Dropout& dropout, int64_t D) {
  std::vector<double> sum = x;
  for (size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    sum[i] += s[i] * dropout_factor(dropout, at / D, at % D);
  }
  return sum;
}

struct ResidualNormReference {
  LayerNormReference norm;  // dx: with dsum added (1)
  std::vector<double> ds;   // (2)
};

// dsum empty: none.
inline ResidualNormReference residual_norm_reference(
    const std::vector<double>& sum, const kernels::Dropout& dropout, const std::vector<double>& gamma,
    const std::vector<double>& beta, const std::vector<double>& dy, const std::vector<double>& dsum,
    int64_t N, int64_t D, double eps) {
  ResidualNormReference r;
  r.norm = layer_norm_reference(sum, gamma, beta, dy, N, D, eps);
  for (size_t i = 0; i < sum.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    if (!dsum.empty()) r.norm.dx[i] += dsum[i];
    r.ds.push_back(r.norm.dx[i] * dropout_factor(dropout, at / D, at % D));
  }
  return r;
}

}  // namespace xf::tests
