#include "kernels/adam.h"

#include "bench/ops/ops.h"
#include "tests/cases/adam.h"

namespace xf::bench {

namespace {

constexpr float kLearningRate = 1e-3f, kTokens = 4096, kClipNorm = 1;
constexpr int kUpdate = 3;
// In f64 too: the step's numbers (learning rate, 1/tokens) are f32, rounded to 2^-24.
constexpr double kStepTolerance = 1e-7 / 1e-12;

// Masters, moments and gradients are f32 in a bf16 model too, which reads rounded copies of the
// masters.
DType master_of(const Scope& scope) { return scope.target.accumulator(); }

struct Tensors {
  Tensors(Inputs& in, int64_t P, DType master)
      : p(in.random_of(master, {P})),
        m(in.random_of(master, {P}, -0.01f, 0.01f)),
        v(in.random_of(master, {P}, 0, 1e-4f)),
        g(in.random_of(master, {P}, -50, 50)),
        norm_squared(in.zeros({1}, DType::f64)) {
    step = Tensor::from(std::vector<float>{kLearningRate, corrected(options.beta1), corrected(options.beta2),
                                           1 / kTokens})
               .to(in.target().device);
    if (in.target().dtype == DType::bf16) rounded = in.poisoned({P});
  }
  static float corrected(float beta) { return 1 - std::pow(beta, static_cast<float>(kUpdate)); }
  // After norm(). A kernel from elsewhere is told what the gradient is to be multiplied by.
  Operands operands() const {
    if (rounded.defined()) return {};
    const double norm = std::sqrt(tests::as_doubles(norm_squared)[0]) / kTokens;
    return {{{"g", g}, {"p", p}, {"m", m}, {"v", v}},
            {{"learning_rate", kLearningRate},
             {"beta1", options.beta1},
             {"beta2", options.beta2},
             {"eps", options.eps},
             {"correction1", corrected(options.beta1)},
             {"correction2", corrected(options.beta2)},
             {"scale", std::min(1.0, kClipNorm / norm) / kTokens}}};
  }
  void norm() const { kernels::sum_of_squares(g, norm_squared); }
  void update() const { kernels::adam(options, step, kClipNorm, norm_squared, p, m, v, g, rounded); }
  Expected reference() const {
    using tests::as_doubles;
    tests::AdamState state{as_doubles(p), as_doubles(m), as_doubles(v)};
    tests::adam_reference(options, kLearningRate, kUpdate, kTokens, kClipNorm, as_doubles(g), state);
    return {state.p, state.m, state.v};
  }
  kernels::AdamOptions options;
  Tensor p, m, v, g, norm_squared, step, rounded;
};

void add(const Scope& scope, int64_t P, std::vector<Case>& rows) {
  const DType master = master_of(scope);
  const double e = static_cast<double>(size_of(master));
  tests::Target target = scope.target;
  target.dtype = master;
  rows.push_back(
      case_of(target, "sum_of_squares", {P}, "", {product(P, 1) * e, 2 * product(P, 1)}, [=](Inputs& in) {
        const Tensors t(in, P, master);
        return Call{[t] { t.norm(); },
                    {{t.norm_squared}},
                    [t] {
                      double sum = 0;
                      for (const double g : tests::as_doubles(t.g)) sum += g * g;
                      return Expected{{sum}};
                    }};
      }));
  // Four arrays read and three written; zeroing the gradient is free where the first writer
  // overwrites instead.
  const double factor = master == DType::f64 ? kStepTolerance : 2;
  const double rounded = scope.target.dtype == DType::bf16 ? 2 : 0;
  rows.push_back(case_of(scope.target, "adam", {P}, rounded > 0 ? "bf16 copy" : "",
                         {product(P, 1) * (7 * e + rounded), 15 * product(P, 1)}, [=](Inputs& in) {
                           const Tensors t(in, P, master);
                           t.norm();
                           return Call{[t] { t.update(); },
                                       {{t.p, factor}, {t.m, factor}, {t.v, factor}},
                                       [t] { return t.reference(); },
                                       t.operands()};
                         }));
}

}  // namespace

void adam_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows) {
  add(scope, size_of(sizes, "P"), rows);
}

void adam_rows(const Scope& scope, std::vector<Case>& rows) {
  if (!scope.odd()) return add(scope, scope.model.parameters(), rows);
  for (const tests::AdamCase& c : tests::adam_cases()) add(scope, c.P, rows);
}

}  // namespace xf::bench
