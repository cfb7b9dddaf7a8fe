#include "kernels/muon.h"

#include "bench/ops/ops.h"
#include "kernels/adam.h"
#include "tests/cases/muon.h"

namespace xf::bench {

namespace {

constexpr float kLearningRate = 1e-2f, kTokens = 4096;
// The step's numbers are f32, and five iterations enlarge roundings.
constexpr double kStepTolerance = 1e-6 / 1e-12, kIterationTolerance = 500;

struct Tensors {
  Tensors(Inputs& in, const tests::MuonCase& muon_case, DType master)
      : c(muon_case),
        p(in.random_of(master, {c.parameters()})),
        m(in.random_of(master, {c.parameters()}, -0.01f, 0.01f)),
        g(in.random_of(master, {c.parameters()}, -50, 50)),
        norm_squared(in.zeros({1}, DType::f64)),
        step(Tensor::from(std::vector<float>{kLearningRate, 0, 0, 1 / kTokens}).to(in.target().device)),
        workspace(Tensor::empty({c.matrices * kernels::muon_workspace(c.rows, c.columns)}, master,
                                in.target().device)),
        places{Tensor::from(c.begins()).to(in.target().device), c.rows, c.columns} {
    if (in.target().dtype == DType::bf16) rounded = in.poisoned({c.parameters()});
    kernels::sum_of_squares(g, norm_squared);
  }
  void update() const { kernels::muon(options, step, 1, norm_squared, places, p, m, g, rounded, workspace); }
  Expected reference() const {
    tests::MuonState state{tests::as_doubles(p), tests::as_doubles(m)};
    tests::muon_reference(c, options, static_cast<double>(kLearningRate), static_cast<double>(kTokens), 1,
                          tests::as_doubles(g), state);
    return {state.p, state.m};
  }
  tests::MuonCase c;
  kernels::MuonOptions options;
  Tensor p, m, g, norm_squared, step, workspace, rounded;
  kernels::MatrixPlaces places;
};

// Two square products and one of the matrix an iteration.
double operations(const tests::MuonCase& c) {
  const int64_t k = std::min(c.rows, c.columns), longer = std::max(c.rows, c.columns);
  return kernels::kMuonIterations * static_cast<double>(c.matrices) *
         (2 * 2 * product(k, k, longer) + 2 * product(k, k, k));
}

void add(const Scope& scope, const tests::MuonCase& c, std::vector<Case>& rows) {
  // Masters, momentum and gradients are f32 in a bf16 model too, which reads rounded copies of the
  // masters.
  const DType master = scope.target.accumulator();
  const double e = static_cast<double>(size_of(master));
  const double factor = master == DType::f64 ? kStepTolerance : kIterationTolerance;
  const double rounded = scope.target.dtype == DType::bf16 ? 2 : 0;
  rows.push_back(case_of(
      scope.target, "muon", {c.matrices, c.rows, c.columns}, rounded > 0 ? "bf16 copy" : "",
      {product(c.matrices, c.size()) * (5 * e + rounded), operations(c)}, [=](Inputs& in) {
        const Tensors t(in, c, master);
        return Call{[t] { t.update(); }, {{t.p, factor}, {t.m, factor}}, [t] { return t.reference(); }};
      }));
}

}  // namespace

void muon_rows(const Scope& scope, std::vector<Case>& rows) {
  if (scope.odd()) {
    for (const tests::MuonCase& c : tests::muon_cases()) {
      if (c.matrices > 0) add(scope, c, rows);
    }
    return;
  }
  // A decoder layer's projections, and the two of its feed-forward layer.
  const int64_t dim = scope.model.config.dim, inner = scope.model.config.feed_forward;
  add(scope, {"", 8, dim, dim, 0}, rows);
  add(scope, {"", 1, inner, dim, 0}, rows);
  add(scope, {"", 1, dim, inner, 0}, rows);
}

}  // namespace xf::bench
