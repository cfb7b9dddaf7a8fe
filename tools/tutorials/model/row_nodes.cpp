#include "tools/tutorials/model/row_nodes.h"

#include <algorithm>
#include <cmath>

namespace xf::nn::quirks {

using autograd::Gradients;

namespace {

// Calls f with a value of the tensor's type; f32 and f64 alone.
template <typename F>
void of_type(const Tensor& x, const F& f) {
  XF_CHECK(x.dtype() == DType::f64 || x.dtype() == DType::f32, "quirks: rows are f32 or f64, got {}",
           name_of(x.dtype()));
  if (x.dtype() == DType::f64) {
    f(double{});
  } else {
    f(float{});
  }
}

struct Row {
  double mean = 0, deviation = 0, q = 0;
};

template <typename T>
Row row_of(const T* x, int64_t D, float eps) {
  Row row;
  for (int64_t i = 0; i < D; ++i) row.mean += static_cast<double>(x[i]) / static_cast<double>(D);
  double squares = 0;
  for (int64_t i = 0; i < D; ++i) squares += std::pow(static_cast<double>(x[i]) - row.mean, 2);
  row.deviation = std::sqrt(squares / static_cast<double>(D - 1));
  row.q = row.deviation + static_cast<double>(eps);
  return row;
}

double normed(double x, const Row& row, NormFormula formula) {
  return formula == NormFormula::deviation ? (x - row.mean) / row.q : x - row.mean / row.q;
}

template <typename T>
void norm_forward(const Tensor& x, const Tensor& gamma, const Tensor& beta, NormFormula formula, float eps,
                  const Tensor& y) {
  const int64_t D = x.width();
  for (int64_t n = 0; n < x.rows(); ++n) {
    const Row row = row_of(x.data<T>() + n * D, D, eps);
    for (int64_t i = 0; i < D; ++i) {
      const double value = normed(static_cast<double>(x.data<T>()[n * D + i]), row, formula);
      y.data<T>()[n * D + i] = static_cast<T>(static_cast<double>(gamma.data<T>()[i]) * value +
                                              static_cast<double>(beta.data<T>()[i]));
    }
  }
}

// One row's dx from g; both as f64.
std::vector<double> row_backward(const std::vector<double>& g, const std::vector<double>& c, const Row& row,
                                 NormFormula formula) {
  const auto D = static_cast<double>(g.size());
  double sum = 0, sum_gc = 0;
  for (size_t i = 0; i < g.size(); ++i) sum += g[i], sum_gc += g[i] * c[i];
  const double slope = row.deviation > 0 ? 1 / (row.q * row.q * (D - 1) * row.deviation) : 0;
  std::vector<double> dx(g.size());
  for (size_t i = 0; i < g.size(); ++i) {
    dx[i] = formula == NormFormula::deviation ? (g[i] - sum / D) / row.q - c[i] * sum_gc * slope
                                              : g[i] - sum / D / row.q + c[i] * row.mean * sum * slope;
  }
  return dx;
}

template <typename T>
void norm_backward(const Tensor& dy, const Tensor& x, const Tensor& gamma, NormFormula formula, float eps,
                   const Tensor& dx, const Tensor& dgamma, const Tensor& dbeta) {
  const int64_t D = x.width();
  std::vector<double> g(static_cast<size_t>(D)), c(g.size());
  for (int64_t n = 0; n < x.rows(); ++n) {
    const T *xs = x.data<T>() + n * D, *above = dy.data<T>() + n * D;
    const Row row = row_of(xs, D, eps);
    for (int64_t i = 0; i < D; ++i) {
      const auto at = static_cast<size_t>(i);
      c[at] = static_cast<double>(xs[i]) - row.mean;
      g[at] = static_cast<double>(above[i]) * static_cast<double>(gamma.data<T>()[i]);
      dgamma.data<T>()[i] += above[i] * static_cast<T>(normed(static_cast<double>(xs[i]), row, formula));
      dbeta.data<T>()[i] += above[i];
    }
    const std::vector<double> result = row_backward(g, c, row, formula);
    for (int64_t i = 0; i < D; ++i) dx.data<T>()[n * D + i] = static_cast<T>(result[static_cast<size_t>(i)]);
  }
}

template <typename T>
void log_softmax_forward(const Tensor& z, const Tensor& y) {
  const int64_t V = z.width();
  for (int64_t n = 0; n < z.rows(); ++n) {
    const T* row = z.data<T>() + n * V;
    const auto top = static_cast<double>(*std::max_element(row, row + V));
    double sum = 0;
    for (int64_t v = 0; v < V; ++v) sum += std::exp(static_cast<double>(row[v]) - top);
    const double lse = top + std::log(sum);
    for (int64_t v = 0; v < V; ++v)
      y.data<T>()[n * V + v] = static_cast<T>(static_cast<double>(row[v]) - lse);
  }
}

template <typename T>
void log_softmax_backward(const Tensor& dy, const Tensor& y, const Tensor& dz) {
  const int64_t V = y.width();
  for (int64_t n = 0; n < y.rows(); ++n) {
    T sum = 0;
    for (int64_t v = 0; v < V; ++v) sum += dy.data<T>()[n * V + v];
    for (int64_t v = n * V; v < (n + 1) * V; ++v)
      dz.data<T>()[v] = dy.data<T>()[v] - std::exp(y.data<T>()[v]) * sum;
  }
}

}  // namespace

Variable deviation_norm(Tape& tape, const Variable& input, const Variable& gamma_input,
                        const Variable& beta_input, NormFormula formula, float eps) {
  const Tensor x = input.value(), gamma = gamma_input.value(), y = tape.allocate(x.shape(), x.dtype());
  XF_CHECK(x.width() >= 2, "quirks: a row of {} has no deviation", x.width());
  of_type(x, [&](auto zero) { norm_forward<decltype(zero)>(x, gamma, beta_input.value(), formula, eps, y); });
  return tape.record("deviation_norm", y, {input, gamma_input, beta_input}, [=](Gradients& grad) {
    const Tensor dx = grad.written(0, x), dgamma = grad.summed(1, gamma), dbeta = grad.summed(2, gamma);
    of_type(x, [&](auto zero) {
      norm_backward<decltype(zero)>(grad.of_output(), x, gamma, formula, eps, dx, dgamma, dbeta);
    });
  });
}

Variable log_softmax(Tape& tape, const Variable& z) {
  const Tensor y = tape.allocate(z.value().shape(), z.value().dtype());
  of_type(y, [&](auto zero) { log_softmax_forward<decltype(zero)>(z.value(), y); });
  return tape.record("log_softmax", y, {z}, [y](Gradients& grad) {
    if (!grad.wanted(0)) return;
    const Tensor dz = grad.written(0);
    of_type(y, [&](auto zero) { log_softmax_backward<decltype(zero)>(grad.of_output(), y, dz); });
  });
}

}  // namespace xf::nn::quirks
