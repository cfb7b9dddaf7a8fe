#include "kernels/softmax.h"

#include "bench/ops/ops.h"
#include "tests/cases/softmax.h"

namespace xf::bench {

namespace {

struct Tensors {
  Tensors(Inputs& in, const tests::SoftmaxCase& c)
      : s(in.random({c.B, c.H, c.Sq, c.Sk})),
        dp(in.random({c.B, c.H, c.Sq, c.Sk})),
        p(in.poisoned({c.B, c.H, c.Sq, c.Sk})),
        ds(in.poisoned({c.B, c.H, c.Sq, c.Sk})) {
    mask.causal = c.causal;
    if (!c.lengths.empty()) mask.lengths = in.ids(c.lengths);
    if (!c.mask.empty()) mask.mask = in.ids(c.mask, {c.B, c.Sq, c.Sk});
  }
  // Rows and columns, which is all that a kernel without masks needs to know.
  Operands forward_operands() const {
    if (mask.causal || mask.lengths.defined() || mask.mask.defined()) return {};
    return {{{"s", s.reshape(rows())}, {"p", p.reshape(rows())}}};
  }
  Operands backward_operands() const {
    return {{{"dp", dp.reshape(rows())}, {"p", p.reshape(rows())}, {"ds", ds.reshape(rows())}}};
  }
  Shape rows() const { return {s.rows(), s.width()}; }
  Tensor s, dp, p, ds;
  kernels::SoftmaxMask mask;
};

void add(const Scope& scope, const tests::SoftmaxCase& c, std::vector<Case>& rows) {
  const double values = product(c.B * c.H, c.Sq, c.Sk);
  const double mask = product(static_cast<int64_t>(c.mask.size()), 4);
  const std::string variant = std::string(c.causal ? "causal" : "") + (c.mask.empty() ? "" : " mask") +
                              (c.lengths.empty() ? "" : " lengths");
  const std::vector<int64_t> dims{c.B, c.H, c.Sq, c.Sk};
  rows.push_back(
      case_of(scope.target, "softmax_forward", dims, variant, {2 * values * scope.e() + mask, 5 * values},
              [=](Inputs& in) {
                const Tensors t(in, c);
                return Call{[t] { kernels::softmax_forward(t.s, t.mask, t.p); },
                            {{t.p}},
                            [t, c] { return Expected{tests::softmax_reference(c, tests::as_doubles(t.s))}; },
                            t.forward_operands()};
              }));
  rows.push_back(case_of(scope.target, "softmax_backward", dims, variant,
                         {3 * values * scope.e(), 4 * values}, [=](Inputs& in) {
                           const Tensors t(in, c);
                           kernels::softmax_forward(t.s, t.mask, t.p);
                           return Call{[t] { kernels::softmax_backward(t.dp, t.p, t.ds); },
                                       {{t.ds, 4}},
                                       [t] {
                                         return Expected{tests::softmax_backward_reference(
                                             tests::as_doubles(t.dp), tests::as_doubles(t.p), t.p.width())};
                                       },
                                       t.backward_operands()};
                         }));
}

}  // namespace

void softmax_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows) {
  add(scope, {"", 1, 1, size_of(sizes, "N"), size_of(sizes, "D"), {}, false, {}}, rows);
}

void softmax_rows(const Scope& scope, std::vector<Case>& rows) {
  if (!scope.odd()) {
    const int64_t S = scope.model.length;
    add(scope, {"", scope.model.sentences, scope.model.config.heads, S, S, {}, true, {}}, rows);
    return;
  }
  for (const auto& cases : {tests::softmax_cases(), tests::large_softmax_cases()}) {
    for (const tests::SoftmaxCase& c : cases) add(scope, c, rows);
  }
}

}  // namespace xf::bench
