#include "kernels/quantized_linear.h"

#include "bench/ops/ops.h"
#include "tests/cases/quantized_linear.h"
#include "tests/support/compare.h"

namespace xf::bench {

namespace {

using tests::as_doubles;

// A register holds four times as many bytes as f32, and is multiplied as fast: the floor is that of
// a quarter of the arithmetic.
constexpr double kPerElement = 4;

Case forward(const Scope& scope, const tests::QuantizedLinearCase& c) {
  const double bytes = product(c.N, c.K) * scope.e() + product(c.K, c.M) + product(c.N, c.M) * scope.e();
  return case_of(scope.target, "quantized_linear_forward", {c.N, c.K, c.M}, "",
                 {bytes, 2 * product(c.N, c.K, c.M) / kPerElement}, [=](Inputs& in) {
                   const Tensor x = in.random({c.N, c.K}), w = in.random({c.M, c.K}), bias = in.random({c.M});
                   const Tensor y = in.poisoned({c.N, c.M});
                   const kernels::QuantizedWeights weights = tests::rounded_and_packed(w);
                   return Call{
                       [=] { kernels::quantized_linear_forward(x, weights, bias, kernels::Relu::no, y); },
                       {{y}},
                       [=] {
                         return Expected{tests::quantized_linear_reference(c, as_doubles(x), as_doubles(w),
                                                                           as_doubles(bias))};
                       }};
                 });
}

}  // namespace

// A model's: one step of a beam of 5 over 64 sentences, and over one.
void quantized_linear_rows(const Scope& scope, std::vector<Case>& rows) {
  if (scope.target.device != Device::cpu() || scope.target.dtype != DType::f32) return;
  if (scope.odd()) {
    for (const auto& c : tests::quantized_linear_cases()) rows.push_back(forward(scope, c));
    return;
  }
  const nn::TransformerConfig& model = scope.model.config;
  for (const int64_t sentences : {std::min<int64_t>(64, scope.model.sentences), int64_t{1}}) {
    const int64_t hypotheses = 5 * sentences;
    for (const auto& [in, out] :
         {std::pair{model.dim, 3 * model.dim}, std::pair{model.dim, model.feed_forward},
          std::pair{model.feed_forward, model.dim}, std::pair{model.dim, model.target_vocabulary}})
      rows.push_back(forward(scope, {"", hypotheses, in, out}));
  }
}

}  // namespace xf::bench
