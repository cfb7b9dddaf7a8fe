#include "kernels/activation.h"

#include "bench/ops/ops.h"
#include "tests/cases/activation.h"

namespace xf::bench {

namespace {

using kernels::Activation;

struct Tensors {
  Tensors(Inputs& in, int64_t N, int64_t F, Activation f, float p)
      : activation(f),
        x(in.random({N, F})),
        bias(in.random({F})),
        da(in.random({N, F})),
        a(in.poisoned({N, F})),
        dx(in.poisoned({N, F})),
        dbias(in.zero_sums({F})),
        host_dropout(tests::test_dropout(p)),
        dropout(tests::dropout_on(in.target().device, host_dropout)) {}
  void forward() const { kernels::bias_activation_forward(x, bias, activation, dropout, a); }
  void backward() const {
    const Tensor& saved = keeps_input(activation) ? x : a;
    kernels::bias_activation_backward(da, saved, bias, activation, dropout, dx, dbias);
  }
  // Without dropout.
  Operands forward_operands() const {
    if (dropout.p > 0) return {};
    return {{{"x", x}, {"bias", bias}, {"a", a}}, {{"activation", static_cast<double>(activation)}}};
  }
  Operands backward_operands() const {
    if (dropout.p > 0) return {};
    return {{{"da", da}, {"x", x}, {"bias", bias}, {"dx", dx}, {"dbias", dbias}},
            {{"activation", static_cast<double>(activation)}}};
  }
  // body(element, z = x + bias, what dropout multiplies it by)
  template <typename Body>
  void for_each_element(const Body& body) const {
    const auto values = tests::as_doubles(x), biases = tests::as_doubles(bias);
    const int64_t F = x.width();
    for (int64_t i = 0; i < x.numel(); ++i) {
      body(static_cast<size_t>(i), values[static_cast<size_t>(i)] + biases[static_cast<size_t>(i % F)],
           tests::dropout_factor(host_dropout, i / F, i % F));
    }
  }
  Expected forward_reference() const {
    std::vector<double> expected(static_cast<size_t>(x.numel()));
    for_each_element(
        [&](size_t i, double z, double factor) { expected[i] = tests::activate(activation, z) * factor; });
    return {expected};
  }
  Expected backward_reference() const {
    auto expected = tests::as_doubles(da);
    std::vector<double> sums(static_cast<size_t>(x.width()));
    for_each_element([&](size_t i, double z, double factor) {
      expected[i] *= tests::activation_derivative(activation, z) * factor;
      sums[i % sums.size()] += expected[i];
    });
    return {expected, sums};
  }
  Activation activation;
  Tensor x, bias, da, a, dx, dbias;
  kernels::Dropout host_dropout, dropout;
};

void add(const Scope& scope, int64_t N, int64_t F, Activation f, float p, std::vector<Case>& rows) {
  const std::string name = name_of(f);
  const double values = product(N, F) * scope.e(), bias = product(F, 1) * scope.e();
  rows.push_back(case_of(
      scope.target, "bias_activation_forward", {N, F}, name, {2 * values + bias, 2 * product(N, F)},
      [=](Inputs& in) {
        const Tensors t(in, N, F, f, p);
        return Call{
            [t] { t.forward(); }, {{t.a}}, [t] { return t.forward_reference(); }, t.forward_operands()};
      }));
  rows.push_back(case_of(scope.target, "bias_activation_backward", {N, F}, name,
                         {3 * values + bias, 2 * product(N, F)}, [=](Inputs& in) {
                           const Tensors t(in, N, F, f, p);
                           t.forward();
                           return Call{[t] { t.backward(); },
                                       {{t.dx}, {t.dbias, 2, 1}},
                                       [t] { return t.backward_reference(); },
                                       t.backward_operands()};
                         }));
}

}  // namespace

void activation_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows) {
  for (const Activation f : kernels::kActivations)
    add(scope, size_of(sizes, "N"), size_of(sizes, "F"), f, 0, rows);
}

void activation_rows(const Scope& scope, std::vector<Case>& rows) {
  for (const Activation f : kernels::kActivations) {
    if (!scope.odd()) {
      add(scope, scope.model.tokens(), scope.model.config.feed_forward, f,
          scope.model.config.feed_forward_dropout, rows);
      continue;
    }
    for (const tests::ActivationCase& c : tests::activation_cases()) add(scope, c.N, c.F, f, 0.3f, rows);
  }
}

}  // namespace xf::bench
