// Central differences in f64: (L(x + h) - L(x - h)) / 2h against a hand-derived gradient.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/tensor.h"

namespace xf::tests {

// The loss most checks use: sum_i y_i w_i with fixed weights w, so that dL/dy = w.
inline double weighted_sum(const Tensor& y, const Tensor& w) {
  const auto values = y.to_vector<double>(), weights = w.to_vector<double>();
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += values[i] * weights[i];
  return sum;
}

// Moves each element of x (f64; rows may be strided) in turn and returns the worst |numeric -
// analytic| relative to the largest gradient element of this tensor, with `floor` under the
// denominator. `loss()` recomputes from x. h balances truncation (h^2) against cancellation
// (1e-16/h): about 1e-9 relative for a loss of order 1.
template <typename Loss>
double gradient_error(const Loss& loss, const Tensor& x, const Tensor& analytic, double h = 1e-5,
                      double floor = 1e-3) {
  XF_CHECK(x.shape() == analytic.shape(), "gradient_error: x is {}, its gradient {}", x.shape().to_string(),
           analytic.shape().to_string());
  double worst = 0, largest = floor;
  for (int64_t r = 0; r < x.rows(); ++r) {
    for (int64_t c = 0; c < x.width(); ++c) {
      double& element = x.data<double>()[r * x.row_stride() + c];
      const double kept = element;
      element = kept + h;
      const double above = loss();
      element = kept - h;
      const double below = loss();
      element = kept;
      const double numeric = (above - below) / (2 * h);
      const double given = analytic.data<double>()[r * analytic.row_stride() + c];
      if (!std::isfinite(numeric) || !std::isfinite(given)) return std::numeric_limits<double>::infinity();
      worst = std::max(worst, std::abs(numeric - given));
      largest = std::max(largest, std::abs(numeric));
    }
  }
  return worst / largest;
}

}  // namespace xf::tests
