#include "kernels/linear.h"

#include <utility>

#include "bench/ops/ops.h"
#include "kernels/elementwise.h"
#include "kernels/matmul.h"
#include "tests/cases/activation.h"
#include "tests/cases/linear.h"
#include "tests/cases/matmul.h"

namespace xf::bench {

namespace {

using kernels::Accumulate;
using kernels::Activation;
using tests::as_doubles;
using Values = std::vector<double>;

struct Tensors {
  Tensors(Inputs& in, int64_t N, int64_t K, int64_t M)
      : x(in.random({N, K})),
        w(in.random({M, K})),
        bias(in.random({M})),
        dy(in.random({N, M})),
        y(in.poisoned({N, M})),
        dx(in.poisoned({N, K})),
        dw(in.zero_sums({M, K})),
        dbias(in.zero_sums({M})) {}
  int64_t N() const { return x.rows(); }
  int64_t K() const { return x.width(); }
  int64_t M() const { return w.rows(); }
  Values y_reference() const {
    Values start;
    const Values b = as_doubles(bias);
    for (int64_t n = 0; n < N(); ++n) start.insert(start.end(), b.begin(), b.end());
    return tests::matmul_reference({"", N(), M(), K()}, as_doubles(x), false, as_doubles(w), true, start);
  }
  Values dx_reference() const {
    return tests::matmul_reference({"", N(), K(), M()}, as_doubles(dy), false, as_doubles(w), false,
                                   Values(static_cast<size_t>(x.numel())));
  }
  Values dw_reference() const {
    return tests::matmul_reference({"", M(), K(), N()}, as_doubles(dy), true, as_doubles(x), false,
                                   Values(static_cast<size_t>(w.numel())));
  }
  Tensor x, w, bias, dy, y, dx, dw, dbias;
};

Values column_sums(const Values& values, int64_t width) {
  Values sums(static_cast<size_t>(width));
  for (size_t i = 0; i < values.size(); ++i) sums[i % sums.size()] += values[i];
  return sums;
}

// relu, whose backward needs its output alone.
Call activation_forward(const Tensors& t) {
  return {[t] { kernels::linear_activation_forward(t.x, t.w, t.bias, Activation::relu, {}, {}, t.y); },
          {{t.y, 2, 1}},
          [t] {
            Values a = t.y_reference();
            for (double& value : a) value = tests::activate(Activation::relu, value);
            return Expected{a};
          }};
}

// The layer that follows has the transposed sizes: its weight is [K, M], and x takes the place of
// its gradient.
Call activation_backward(const Tensors& t, const Tensor& w2) {
  kernels::linear_activation_forward(t.x, t.w, t.bias, Activation::relu, {}, {}, t.y);
  return {[t, w2] {
            kernels::linear_activation_backward_input(t.x, w2, t.y, t.bias, Activation::relu, {}, t.dy,
                                                      t.dbias);
          },
          {{t.dy, 2, 1}, {t.dbias, 2, 1}},
          [t, w2] {
            const Values a = as_doubles(t.y);
            Values dpre = tests::matmul_reference({"", t.N(), t.M(), t.K()}, as_doubles(t.x), false,
                                                  as_doubles(w2), false, Values(a.size()));
            for (size_t i = 0; i < a.size(); ++i) dpre[i] *= a[i] > 0 ? 1 : 0;
            return Expected{dpre, column_sums(dpre, t.M())};
          }};
}

Call forward(const Tensors& t) {
  return {[t] { kernels::linear_forward(t.x, t.w, t.bias, t.y); },
          {{t.y, 2, 1}},
          [t] { return Expected{t.y_reference()}; },
          {{{"x", t.x}, {"w", t.w}, {"bias", t.bias}, {"y", t.y}}}};
}

Call backward_input(const Tensors& t) {
  return {[t] { kernels::linear_backward_input(t.dy, t.w, Accumulate::no, t.dx); },
          {{t.dx, 2, 1}},
          [t] { return Expected{t.dx_reference()}; },
          {{{"dy", t.dy}, {"w", t.w}, {"dx", t.dx}}}};
}

Call weight_gradients(const Tensors& t, std::function<void()> run) {
  return {std::move(run),
          {{t.dw, 2, 1}, {t.dbias, 2, 1}},
          [t] {
            return Expected{t.dw_reference(), column_sums(as_doubles(t.dy), t.M())};
          },
          {{{"dy", t.dy}, {"x", t.x}, {"dw", t.dw}, {"dbias", t.dbias}}}};
}

Call backward_weight(const Tensors& t) {
  return weight_gradients(
      t, [t] { kernels::linear_backward_weight(t.dy, t.x, Accumulate::yes, t.dw, t.dbias); });
}

// The same without the backend's offer to do both at once (kernels/cuda/linear.cpp), whose product
// may be a slower one.
Call backward_weight_apart(const Tensors& t) {
  return weight_gradients(t, [t] {
    kernels::matmul(t.dy, kernels::Transpose::yes, t.x, kernels::Transpose::no, Accumulate::yes, t.dw);
    kernels::sum_rows(t.dy, t.dbias);
  });
}

void add(const Scope& scope, int64_t N, int64_t K, int64_t M, bool activation, std::vector<Case>& rows) {
  const double matrices = (product(N, K) + product(K, M) + product(N, M)) * scope.e();
  const Work work{matrices, 2 * product(N, K, M)};
  // The weight's gradient is read and written, in the accumulator's type.
  const Work to_weight{(product(N, K) + product(N, M)) * scope.e() + 2 * product(K, M) * scope.a(),
                       work.flops};
  const auto row = [&](const char* fn, const Work& of, auto make, const char* variant = "") {
    rows.push_back(case_of(scope.target, fn, {N, K, M}, variant, of,
                           [=](Inputs& in) { return make(Tensors(in, N, K, M)); }));
  };
  row("linear_forward", work, forward);
  row("linear_backward_input", work, backward_input);
  row("linear_backward_weight", to_weight, backward_weight);
  if (scope.target.device.type == DeviceType::cuda) {
    row("linear_backward_weight", to_weight, backward_weight_apart, "apart");
  }
  if (!activation) return;
  row("linear_activation_forward", work, activation_forward);
  rows.push_back(case_of(scope.target, "linear_activation_backward_input", {N, K, M}, "",
                         {matrices + product(N, M) * scope.e(), work.flops}, [=](Inputs& in) {
                           return activation_backward(Tensors(in, N, K, M), in.random({K, M}));
                         }));
}

}  // namespace

void linear_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows) {
  add(scope, size_of(sizes, "N"), size_of(sizes, "K"), size_of(sizes, "M"), true, rows);
}

// A model's: the fused projection to q, k, v; one projection; both of the feed-forward layer; the
// keys and values of all decoder layers.
void linear_rows(const Scope& scope, std::vector<Case>& rows) {
  if (scope.odd()) {
    for (const tests::LinearCase& c : tests::linear_cases()) add(scope, c.N, c.K, c.M, true, rows);
    return;
  }
  const nn::TransformerConfig& model = scope.model.config;
  const int64_t T = scope.model.tokens(), D = model.dim, F = model.feed_forward;
  add(scope, T, D, 3 * D, false, rows);
  add(scope, T, D, D, false, rows);
  add(scope, T, D, F, true, rows);
  add(scope, T, F, D, false, rows);
  add(scope, T, D, 2 * model.decoder_layers * D, false, rows);
}

}  // namespace xf::bench
