#include "kernels/rms_norm.h"

#include "bench/ops/ops.h"
#include "tests/cases/rms_norm.h"

namespace xf::bench {

namespace {

struct Tensors {
  Tensors(Inputs& in, int64_t N, int64_t D)
      : x(in.random({N, D})),
        gamma(in.random({D}, 0.5f, 1.5f)),
        dy(in.random({N, D})),
        y(in.poisoned({N, D})),
        rstd(in.poisoned_sums({N})),
        dx(in.poisoned({N, D})),
        dgamma(in.zero_sums({D})) {}
  void forward() const { kernels::rms_norm_forward(x, gamma, kEps, y, rstd); }
  void backward() const { kernels::rms_norm_backward(dy, x, gamma, rstd, dx, dgamma); }
  Operands forward_operands() const {
    return {{{"x", x}, {"gamma", gamma}, {"y", y}, {"rstd", rstd}}, {{"eps", kEps}}};
  }
  Operands backward_operands() const {
    return {{{"dy", dy}, {"x", x}, {"gamma", gamma}, {"rstd", rstd}, {"dx", dx}, {"dgamma", dgamma}}};
  }
  tests::RmsNormReference reference() const {
    using tests::as_doubles;
    return tests::rms_norm_reference(as_doubles(x), as_doubles(gamma), as_doubles(dy), x.rows(), x.width(),
                                     kEps);
  }
  Tensor x, gamma, dy, y, rstd, dx, dgamma;
};

void add(const Scope& scope, int64_t N, int64_t D, std::vector<Case>& rows) {
  const double values = product(N, D) * scope.e(), statistics = product(N, 1) * scope.a();
  rows.push_back(case_of(scope.target, "rms_norm_forward", {N, D}, "",
                         {2 * values + statistics, 4 * product(N, D)}, [=](Inputs& in) {
                           const Tensors t(in, N, D);
                           return Call{[t] { t.forward(); },
                                       {{t.y}, {t.rstd}},
                                       [t] {
                                         const auto r = t.reference();
                                         return Expected{r.y, r.rstd};
                                       },
                                       t.forward_operands()};
                         }));
  rows.push_back(case_of(scope.target, "rms_norm_backward", {N, D}, "",
                         {3 * values + statistics, 10 * product(N, D)}, [=](Inputs& in) {
                           const Tensors t(in, N, D);
                           t.forward();
                           return Call{[t] { t.backward(); },
                                       {{t.dx, 2, 1}, {t.dgamma, 2, 1}},
                                       [t] {
                                         const auto r = t.reference();
                                         return Expected{r.dx, r.dgamma};
                                       },
                                       t.backward_operands()};
                         }));
}

}  // namespace

void rms_norm_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows) {
  add(scope, size_of(sizes, "N"), size_of(sizes, "D"), rows);
}

void rms_norm_rows(const Scope& scope, std::vector<Case>& rows) {
  if (!scope.odd()) return add(scope, scope.model.tokens(), scope.model.config.dim, rows);
  for (const tests::RmsNormCase& c : tests::rms_norm_cases()) {
    // The two at the end are about values, not about shapes.
    if (c.low == -1) add(scope, c.N, c.D, rows);
  }
}

}  // namespace xf::bench
