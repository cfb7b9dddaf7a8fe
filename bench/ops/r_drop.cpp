#include "kernels/r_drop.h"

#include "bench/ops/ops.h"
#include "kernels/cross_entropy.h"
#include "tests/cases/cross_entropy.h"
#include "tests/cases/r_drop.h"

namespace xf::bench {

namespace {

Case of_pairs(const Scope& scope, const tests::RDropCase& c) {
  return case_of(scope.target, "r_drop", {2 * c.N, c.V}, "",
                 {4 * product(c.N, c.V) * scope.e() + 4 * product(c.N, 1), 26 * product(c.N, c.V)},
                 [=](Inputs& in) {
                   const auto spread = static_cast<float>(c.spread);
                   const std::vector<int32_t> words = tests::cross_entropy_targets(c.N, c.V);
                   const Tensor z = in.random({2 * c.N, c.V}, -spread, spread), targets = in.ids(words),
                                loss = in.zero_sums({2});
                   const kernels::RDrop options{.label_smoothing = static_cast<float>(c.smoothing)};
                   return Call{[=] { kernels::r_drop(z, {}, targets, options, loss, z, {}); },
                               {{loss, 10, 1}, {z, 10, 1e-3}},
                               [=] {
                                 const auto r = tests::r_drop_reference(tests::as_doubles(z), {}, words,
                                                                        options.label_smoothing, 1, c.V);
                                 return Expected{{r.loss, r.unsmoothed}, r.dz};
                               }};
                 });
}

}  // namespace

void r_drop_rows(const Scope& scope, std::vector<Case>& rows) {
  if (scope.odd()) {
    for (const tests::RDropCase& c : tests::r_drop_cases()) rows.push_back(of_pairs(scope, c));
    return;
  }
  const int64_t V = scope.model.config.target_vocabulary;
  const Shape chunk = kernels::logits_chunk(scope.model.tokens(), V, scope.target.device);
  rows.push_back(of_pairs(scope, {"", chunk[0] / 2, V, scope.model.config.label_smoothing, 3}));
}

}  // namespace xf::bench
