// What the plain kernels make of residual_norm: the sum, then layer_norm of the sum that the op
// stored, which is the one that it normalises. The shapes are layer_norm's.
#pragma once

#include "kernels/plain/residual_norm.h"
#include "tests/cases/dropout_factor.h"
#include "tests/cases/layer_norm.h"

namespace xf::tests {

inline std::vector<double> residual_sum_reference(const std::vector<double>& x, const std::vector<double>& s,
                                                  const kernels::Dropout& dropout, int64_t D) {
  const auto size = static_cast<int64_t>(x.size());
  std::vector<double> sum(x.size());
  kernels::plain::residual(size, x.data(), s.data(), dropout_factors(dropout, size / D, D).data(),
                           sum.data());
  return sum;
}

struct ResidualNormReference {
  LayerNormReference norm;  // dx: with dsum added, RN1
  std::vector<double> ds;   // RN2
};

// dsum empty: none.
inline ResidualNormReference residual_norm_reference(
    const std::vector<double>& sum, const kernels::Dropout& dropout, const std::vector<double>& gamma,
    const std::vector<double>& beta, const std::vector<double>& dy, const std::vector<double>& dsum,
    int64_t N, int64_t D, double eps) {
  ResidualNormReference r;
  r.norm = layer_norm_reference(sum, gamma, beta, dy, N, D, eps);
  r.ds.resize(sum.size());
  const std::vector<double> norm_dx = r.norm.dx, none(sum.size());
  kernels::plain::residual_backward(N * D, norm_dx.data(), (dsum.empty() ? none : dsum).data(),
                                    dropout_factors(dropout, N, D).data(), r.norm.dx.data(), r.ds.data());
  return r;
}

}  // namespace xf::tests
