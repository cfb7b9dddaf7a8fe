#include "kernels/matmul.h"

#include "bench/ops/ops.h"
#include "tests/cases/matmul.h"

namespace xf::bench {

namespace {

using kernels::Accumulate;
using kernels::Transpose;

struct Form {
  const char* name;  // of A and B: N as it is, T transposed
  bool a, b;
};

Case multiply(const Scope& scope, const Form& form, int64_t M, int64_t N, int64_t K) {
  const auto transpose = [](bool yes) { return yes ? Transpose::yes : Transpose::no; };
  return case_of(
      scope.target, "matmul", {M, N, K}, form.name,
      {(product(M, K) + product(K, N) + product(M, N)) * scope.e(), 2 * product(M, N, K)}, [=](Inputs& in) {
        const Tensor a = in.random(form.a ? Shape{K, M} : Shape{M, K});
        const Tensor b = in.random(form.b ? Shape{N, K} : Shape{K, N});
        const Tensor c = in.poisoned({M, N});
        return Call{[=] { kernels::matmul(a, transpose(form.a), b, transpose(form.b), Accumulate::no, c); },
                    {{c, 2, std::sqrt(static_cast<double>(K))}},
                    [=] {
                      return Expected{tests::matmul_reference(
                          {"", M, N, K}, tests::as_doubles(a), form.a, tests::as_doubles(b), form.b,
                          std::vector<double>(static_cast<size_t>(M * N)))};
                    },
                    {{{"a", a}, {"b", b}, {"c", c}},
                     {{"transpose_a", form.a ? 1 : 0}, {"transpose_b", form.b ? 1 : 0}}}};
      });
}

constexpr Form kForward{"NT", false, true}, kToInputs{"NN", false, false}, kToWeights{"TN", true, false};

}  // namespace

void matmul_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows) {
  for (const Form& form : {kForward, kToInputs, kToWeights})
    rows.push_back(multiply(scope, form, size_of(sizes, "M"), size_of(sizes, "N"), size_of(sizes, "K")));
}

// A model's: the feed-forward layer and a chunk of logits, forward (NT), to the inputs (NN), to the
// weights (TN).
void matmul_rows(const Scope& scope, std::vector<Case>& rows) {
  if (scope.odd()) {
    for (const tests::MatmulCase& c : tests::matmul_cases()) {
      for (const Form& form : {kForward, kToInputs, kToWeights}) {
        if (c.K > 0) rows.push_back(multiply(scope, form, c.M, c.N, c.K));
      }
    }
    return;
  }
  constexpr int64_t kChunk = 512;  // of the loss (kernels/cross_entropy.h)
  const nn::TransformerConfig& model = scope.model.config;
  const int64_t T = scope.model.tokens(), D = model.dim;
  const auto add = [&](int64_t n, int64_t k, int64_t m) {
    rows.push_back(multiply(scope, kForward, n, m, k));
    rows.push_back(multiply(scope, kToInputs, n, k, m));
    rows.push_back(multiply(scope, kToWeights, m, k, n));
  };
  add(T, D, model.feed_forward);
  add(std::min(T, kChunk), D, model.target_vocabulary);
}

}  // namespace xf::bench
