#include "kernels/sgd.h"

#include "bench/ops/ops.h"
#include "kernels/adam.h"
#include "tests/cases/sgd.h"

namespace xf::bench {

namespace {

constexpr float kLearningRate = 1e-2f, kTokens = 4096;
// In f64 too: the step's numbers are f32, rounded to 2^-24.
constexpr double kStepTolerance = 1e-7 / 1e-12;

struct Tensors {
  Tensors(Inputs& in, int64_t P, DType master)
      : options{.momentum = 0.9f},
        p(in.random_of(master, {P})),
        m(in.random_of(master, {P}, -0.01f, 0.01f)),
        g(in.random_of(master, {P}, -50, 50)),
        norm_squared(in.zeros({1}, DType::f64)),
        step(Tensor::from(std::vector<float>{kLearningRate, 1 / kTokens}).to(in.target().device)) {
    if (in.target().dtype == DType::bf16) rounded = in.poisoned({P});
    kernels::sum_of_squares(g, norm_squared);
  }
  void update() const { kernels::sgd(options, step, 1, norm_squared, p, m, g, rounded); }
  Expected reference() const {
    tests::SgdState state{tests::as_doubles(p), tests::as_doubles(m)};
    tests::sgd_reference(options, static_cast<double>(kLearningRate), static_cast<double>(kTokens), 1,
                         tests::as_doubles(g), state);
    return {state.p, state.m};
  }
  kernels::SgdOptions options;
  Tensor p, m, g, norm_squared, step, rounded;
};

void add(const Scope& scope, int64_t P, std::vector<Case>& rows) {
  // Masters, momentum and gradients are f32 in a bf16 model too, which reads rounded copies of the
  // masters.
  const DType master = scope.target.accumulator();
  const double e = static_cast<double>(size_of(master)), factor = master == DType::f64 ? kStepTolerance : 2;
  const double rounded = scope.target.dtype == DType::bf16 ? 2 : 0;
  // Three arrays read and two written; zeroing the gradient is free where the first writer
  // overwrites instead.
  rows.push_back(case_of(
      scope.target, "sgd", {P}, rounded > 0 ? "bf16 copy" : "",
      {product(P, 1) * (5 * e + rounded), 6 * product(P, 1)}, [=](Inputs& in) {
        const Tensors t(in, P, master);
        return Call{[t] { t.update(); }, {{t.p, factor}, {t.m, factor}}, [t] { return t.reference(); }};
      }));
}

}  // namespace

void sgd_rows(const Scope& scope, std::vector<Case>& rows) {
  if (!scope.odd()) return add(scope, scope.model.parameters(), rows);
  for (const tests::AdamCase& c : tests::adam_cases()) add(scope, c.P, rows);
}

}  // namespace xf::bench
