#include "kernels/divergence.h"

#include "bench/ops/ops.h"
#include "kernels/cross_entropy.h"
#include "tests/cases/cross_entropy.h"
#include "tests/cases/divergence.h"

namespace xf::bench {

namespace {

Case of_pairs(const Scope& scope, const tests::DivergenceCase& c) {
  return {"divergence",
          "divergence",
          {2 * c.N, c.V},
          "",
          scope.target,
          {4 * product(c.N, c.V) * scope.e() + 4 * product(c.N, 1), 20 * product(c.N, c.V)},
          [=](Inputs& in) {
            const auto spread = static_cast<float>(c.spread);
            const std::vector<int32_t> words = tests::cross_entropy_targets(c.N, c.V);
            const Tensor z = in.random({2 * c.N, c.V}, -spread, spread), bias = in.random({c.V}),
                         targets = in.ids(words);
            const Tensor loss = in.zero_sums({1}), dz = in.poisoned({2 * c.N, c.V});
            return Call{[=] { kernels::divergence(z, bias, targets, {}, loss, dz); },
                        {{loss, 10, 1}, {dz, 10, 1e-3}},
                        [=] {
                          const auto r = tests::divergence_reference(tests::as_doubles(z),
                                                                     tests::as_doubles(bias), words, 1, c.V);
                          return Expected{{r.loss}, r.dz};
                        }};
          }};
}

}  // namespace

std::vector<Case> divergence_rows(const Scope& scope) {
  std::vector<Case> rows;
  if (scope.odd()) {
    for (const tests::DivergenceCase& c : tests::divergence_cases()) rows.push_back(of_pairs(scope, c));
    return rows;
  }
  const int64_t V = scope.model.config.target_vocabulary;
  const Shape chunk = kernels::logits_chunk(scope.model.tokens(), V, scope.target.device);
  return {of_pairs(scope, {"", chunk[0] / 2, V, 3})};
}

}  // namespace xf::bench
