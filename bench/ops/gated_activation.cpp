#include "kernels/gated_activation.h"

#include "bench/ops/ops.h"
#include "tests/cases/gated_activation.h"

namespace xf::bench {

namespace {

using kernels::Activation;

struct Tensors {
  Tensors(Inputs& in, int64_t N, int64_t F, Activation f)
      : activation(f),
        gate(in.random({N, F})),
        up(in.random({N, F})),
        dy(in.random({N, F})),
        y(in.poisoned({N, F})),
        dgate(in.poisoned({N, F})),
        dup(in.poisoned({N, F})) {}
  void forward() const { kernels::gated_activation_forward(gate, up, activation, y); }
  void backward() const { kernels::gated_activation_backward(dy, gate, up, activation, dgate, dup); }
  Operands forward_operands() const { return {{{"gate", gate}, {"up", up}, {"y", y}}, numbers()}; }
  Operands backward_operands() const {
    return {{{"dy", dy}, {"gate", gate}, {"up", up}, {"dgate", dgate}, {"dup", dup}}, numbers()};
  }
  std::vector<std::pair<std::string, double>> numbers() const {
    return {{"activation", static_cast<double>(activation)}};
  }
  tests::GatedActivationReference reference() const {
    using tests::as_doubles;
    return tests::gated_activation_reference(activation, gate.rows(), gate.width(), as_doubles(gate),
                                             as_doubles(up), as_doubles(dy));
  }
  Activation activation;
  Tensor gate, up, dy, y, dgate, dup;
};

void add(const Scope& scope, int64_t N, int64_t F, Activation f, std::vector<Case>& rows) {
  const double values = product(N, F) * scope.e();
  rows.push_back(case_of(
      scope.target, "gated_activation_forward", {N, F}, name_of(f), {3 * values, 2 * product(N, F)},
      [=](Inputs& in) {
        const Tensors t(in, N, F, f);
        return Call{
            [t] { t.forward(); }, {{t.y}}, [t] { return Expected{t.reference().y}; }, t.forward_operands()};
      }));
  rows.push_back(case_of(scope.target, "gated_activation_backward", {N, F}, name_of(f),
                         {5 * values, 4 * product(N, F)}, [=](Inputs& in) {
                           const Tensors t(in, N, F, f);
                           return Call{[t] { t.backward(); },
                                       {{t.dgate}, {t.dup}},
                                       [t] {
                                         const auto r = t.reference();
                                         return Expected{r.dgate, r.dup};
                                       },
                                       t.backward_operands()};
                         }));
}

}  // namespace

void gated_activation_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows) {
  for (const Activation f : kernels::kActivations)
    add(scope, size_of(sizes, "N"), size_of(sizes, "F"), f, rows);
}

void gated_activation_rows(const Scope& scope, std::vector<Case>& rows) {
  for (const Activation f : kernels::kActivations) {
    if (!scope.odd()) {
      add(scope, scope.model.tokens(), scope.model.config.feed_forward, f, rows);
      continue;
    }
    for (const tests::GatedActivationCase& c : tests::gated_activation_cases()) add(scope, c.N, c.F, f, rows);
  }
}

}  // namespace xf::bench
