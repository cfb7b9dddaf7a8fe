#include "kernels/layer_norm.h"

#include "bench/ops/ops.h"
#include "tests/cases/layer_norm.h"

namespace xf::bench {

namespace {

struct Tensors {
  Tensors(Inputs& in, int64_t N, int64_t D)
      : x(in.random({N, D})),
        gamma(in.random({D}, 0.5f, 1.5f)),
        beta(in.random({D})),
        dy(in.random({N, D})),
        y(in.poisoned({N, D})),
        mean(in.poisoned_sums({N})),
        rstd(in.poisoned_sums({N})),
        dx(in.poisoned({N, D})),
        dgamma(in.zero_sums({D})),
        dbeta(in.zero_sums({D})) {}
  void forward() const { kernels::layer_norm_forward(x, gamma, beta, kEps, y, mean, rstd); }
  void backward() const { kernels::layer_norm_backward(dy, x, gamma, mean, rstd, dx, dgamma, dbeta); }
  Operands forward_operands() const {
    return {{{"x", x}, {"gamma", gamma}, {"beta", beta}, {"y", y}, {"mean", mean}, {"rstd", rstd}},
            {{"eps", kEps}}};
  }
  Operands backward_operands() const {
    return {{{"dy", dy},
             {"x", x},
             {"gamma", gamma},
             {"mean", mean},
             {"rstd", rstd},
             {"dx", dx},
             {"dgamma", dgamma},
             {"dbeta", dbeta}}};
  }
  tests::LayerNormReference reference() const {
    using tests::as_doubles;
    return tests::layer_norm_reference(as_doubles(x), as_doubles(gamma), as_doubles(beta), as_doubles(dy),
                                       x.rows(), x.width(), kEps);
  }
  Tensor x, gamma, beta, dy, y, mean, rstd, dx, dgamma, dbeta;
};

void add(const Scope& scope, int64_t N, int64_t D, std::vector<Case>& rows) {
  const double values = product(N, D) * scope.e(), statistics = 2 * product(N, 1) * scope.a();
  rows.push_back(case_of(scope.target, "layer_norm_forward", {N, D}, "",
                         {2 * values + statistics, 8 * product(N, D)}, [=](Inputs& in) {
                           const Tensors t(in, N, D);
                           return Call{[t] { t.forward(); },
                                       {{t.y}, {t.mean, 2, 0.1}, {t.rstd}},
                                       [t] {
                                         const auto r = t.reference();
                                         return Expected{r.y, r.mean, r.rstd};
                                       },
                                       t.forward_operands()};
                         }));
  rows.push_back(case_of(scope.target, "layer_norm_backward", {N, D}, "",
                         {3 * values + statistics, 12 * product(N, D)}, [=](Inputs& in) {
                           const Tensors t(in, N, D);
                           t.forward();
                           return Call{[t] { t.backward(); },
                                       {{t.dx, 2, 1}, {t.dgamma, 2, 1}, {t.dbeta, 2, 1}},
                                       [t] {
                                         const auto r = t.reference();
                                         return Expected{r.dx, r.dgamma, r.dbeta};
                                       },
                                       t.backward_operands()};
                         }));
}

}  // namespace

void layer_norm_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows) {
  add(scope, size_of(sizes, "N"), size_of(sizes, "D"), rows);
}

void layer_norm_rows(const Scope& scope, std::vector<Case>& rows) {
  if (!scope.odd()) return add(scope, scope.model.tokens(), scope.model.config.dim, rows);
  for (const tests::LayerNormCase& c : tests::layer_norm_cases()) {
    // The two at the end are about values, not about shapes.
    if (c.mean == 0 && c.spread == 1) add(scope, c.N, c.D, rows);
  }
}

}  // namespace xf::bench
