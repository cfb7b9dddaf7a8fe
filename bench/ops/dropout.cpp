#include "tests/cases/dropout.h"

#include "bench/ops/ops.h"

namespace xf::bench {

namespace {

Case apply(const Scope& scope, int64_t N, int64_t D, float p) {
  return case_of(
      scope.target, "dropout", {N, D}, "", {2 * product(N, D) * scope.e(), product(N, D)}, [=](Inputs& in) {
        const Tensor x = in.random({N, D}), y = in.poisoned({N, D});
        const kernels::Dropout host = tests::test_dropout(p),
                               dropout = tests::dropout_on(in.target().device, host);
        return Call{[=] { kernels::dropout(x, dropout, y); },
                    {{y}},
                    [=] {
                      auto expected = tests::as_doubles(x);
                      for (int64_t i = 0; i < N * D; ++i) {
                        expected[static_cast<size_t>(i)] *= tests::dropout_factor(host, i / D, i % D);
                      }
                      return Expected{expected};
                    }};
      });
}

}  // namespace

void dropout_rows(const Scope& scope, std::vector<Case>& rows) {
  if (!scope.odd()) {
    rows.push_back(apply(scope, scope.model.tokens(), scope.model.config.dim, scope.model.config.dropout));
    return;
  }
  for (const tests::DropoutCase& c : tests::dropout_cases()) rows.push_back(apply(scope, c.N, c.D, 0.3f));
}

}  // namespace xf::bench
