#include "kernels/top_k.h"

#include "bench/ops/ops.h"
#include "tests/cases/matmul.h"
#include "tests/cases/top_k.h"

namespace xf::bench {

namespace {

// Where two logits are nearer to each other than their rounding, either may be chosen.
constexpr double kSameIds = 1e-9;

Case best_of(const Scope& scope, const tests::TopKCase& c) {
  const double found = product(c.N, c.K) * (scope.a() + 4);
  return case_of(scope.target, "log_softmax_top_k", {c.N, c.V, c.K}, "",
                 {product(c.N, c.V) * scope.e() + found, 5 * product(c.N, c.V)}, [=](Inputs& in) {
                   const Tensor z = in.random({c.N, c.V}, -5, 5), banned = in.ids(c.banned);
                   const Tensor scores = in.zero_sums({c.N, c.K}), ids = in.zeros({c.N, c.K}, DType::i32);
                   return Call{
                       [=] { kernels::log_softmax_top_k(z, banned, kernels::Normalise::yes, scores, ids); },
                       {{scores}, {ids, kSameIds}},
                       [=] {
                         const auto r = tests::top_k_reference(c, tests::as_doubles(z));
                         return Expected{r.scores, r.ids};
                       }};
                 });
}

// The chosen scores are compared, and not the ids: logits of many terms come close to each other.
Case best_of_projection(const Scope& scope, const tests::TopKCase& c, int64_t D) {
  const double operands =
      (product(c.N, D) + product(c.V, D)) * scope.e() + product(c.N, c.K) * (scope.a() + 4);
  return case_of(scope.target, "projection_top_k", {c.N, D, c.V, c.K}, "",
                 {operands, 2 * product(c.N, D, c.V) + 5 * product(c.N, c.V)}, [=](Inputs& in) {
                   const Tensor x = in.random({c.N, D}), w = in.random({c.V, D}), bias = in.random({c.V});
                   const Tensor banned = in.ids(c.banned),
                                logits = in.poisoned({std::min(c.N, kernels::kTopKChunk), c.V});
                   const Tensor scores = in.zero_sums({c.N, c.K}), ids = in.zeros({c.N, c.K}, DType::i32);
                   return Call{[=] {
                                 kernels::projection_top_k(x, w, bias, banned, kernels::Normalise::yes,
                                                           logits, scores, ids);
                               },
                               {{scores, 4, 1}},
                               [=] {
                                 const auto row = tests::as_doubles(bias);
                                 std::vector<double> start;
                                 for (int64_t n = 0; n < c.N; ++n)
                                   start.insert(start.end(), row.begin(), row.end());
                                 const auto z =
                                     tests::matmul_reference({"", c.N, c.V, D}, tests::as_doubles(x), false,
                                                             tests::as_doubles(w), true, start);
                                 return Expected{tests::top_k_reference(c, z).scores};
                               }};
                 });
}

}  // namespace

// A model's: one step of a beam of 5 over 64 sentences.
void top_k_rows(const Scope& scope, std::vector<Case>& rows) {
  constexpr int64_t kOddWidth = 33;
  if (!scope.odd()) {
    const nn::TransformerConfig& model = scope.model.config;
    const int64_t hypotheses = 5 * std::min<int64_t>(64, scope.model.sentences);
    const tests::TopKCase c{"", hypotheses, model.target_vocabulary, 5, {0, 1, 2}};
    rows.push_back(best_of(scope, c));
    rows.push_back(best_of_projection(scope, c, model.dim));
    return;
  }
  for (const tests::TopKCase& c : tests::top_k_cases()) {
    rows.push_back(best_of(scope, c));
    if (product(c.N, c.V) < 1e5) rows.push_back(best_of_projection(scope, c, kOddWidth));
  }
}

}  // namespace xf::bench
