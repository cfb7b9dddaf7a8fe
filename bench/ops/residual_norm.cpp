#include "tests/cases/residual_norm.h"

#include "bench/ops/ops.h"
#include "kernels/residual_norm.h"

namespace xf::bench {

namespace {

// Post-norm: no gradient reaches the sum from elsewhere.
struct Tensors {
  Tensors(Inputs& in, int64_t N, int64_t D, float p)
      : x(in.random({N, D})),
        s(in.random({N, D})),
        gamma(in.random({D}, 0.5f, 1.5f)),
        beta(in.random({D})),
        dy(in.random({N, D})),
        sum(in.poisoned({N, D})),
        y(in.poisoned({N, D})),
        mean(in.poisoned_sums({N})),
        rstd(in.poisoned_sums({N})),
        dx(in.poisoned({N, D})),
        ds(in.poisoned({N, D})),
        dgamma(in.zero_sums({D})),
        dbeta(in.zero_sums({D})),
        host_dropout(tests::test_dropout(p)),
        dropout(tests::dropout_on(in.target().device, host_dropout)) {}
  void forward() const {
    kernels::residual_norm_forward(x, s, dropout, gamma, beta, kEps, sum, y, mean, rstd);
  }
  void backward() const {
    kernels::residual_norm_backward(dy, {}, sum, gamma, mean, rstd, dropout, dx, ds, dgamma, dbeta);
  }
  std::vector<double> sum_reference() const {
    return tests::residual_sum_reference(tests::as_doubles(x), tests::as_doubles(s), host_dropout, x.width());
  }
  tests::ResidualNormReference reference(const std::vector<double>& of_sum) const {
    using tests::as_doubles;
    return tests::residual_norm_reference(of_sum, host_dropout, as_doubles(gamma), as_doubles(beta),
                                          as_doubles(dy), {}, x.rows(), x.width(), kEps);
  }
  Tensor x, s, gamma, beta, dy, sum, y, mean, rstd, dx, ds, dgamma, dbeta;
  kernels::Dropout host_dropout, dropout;
};

void add(const Scope& scope, int64_t N, int64_t D, float p, std::vector<Case>& rows) {
  const double values = product(N, D) * scope.e(), statistics = 2 * product(N, 1) * scope.a();
  rows.push_back(case_of(scope.target, "residual_norm_forward", {N, D}, "",
                         {4 * values + statistics, 10 * product(N, D)}, [=](Inputs& in) {
                           const Tensors t(in, N, D, p);
                           return Call{[t] { t.forward(); },
                                       {{t.sum}, {t.y, 4}, {t.mean, 4, 0.1}, {t.rstd, 4}},
                                       [t] {
                                         const auto sum = t.sum_reference();
                                         const auto r = t.reference(sum).norm;
                                         return Expected{sum, r.y, r.mean, r.rstd};
                                       }};
                         }));
  rows.push_back(case_of(scope.target, "residual_norm_backward", {N, D}, "",
                         {4 * values + statistics, 15 * product(N, D)}, [=](Inputs& in) {
                           const Tensors t(in, N, D, p);
                           t.forward();
                           return Call{[t] { t.backward(); },
                                       {{t.dx, 2, 1}, {t.ds, 2, 1}, {t.dgamma, 2, 1}, {t.dbeta, 2, 1}},
                                       [t] {
                                         const auto r = t.reference(tests::as_doubles(t.sum));
                                         return Expected{r.norm.dx, r.ds, r.norm.dgamma, r.norm.dbeta};
                                       }};
                         }));
}

}  // namespace

void residual_norm_rows(const Scope& scope, std::vector<Case>& rows) {
  if (!scope.odd())
    return add(scope, scope.model.tokens(), scope.model.config.dim, scope.model.config.dropout, rows);
  for (const tests::LayerNormCase& c : tests::layer_norm_cases()) {
    if (c.mean == 0 && c.spread == 1) add(scope, c.N, c.D, 0.3f, rows);
  }
}

}  // namespace xf::bench
