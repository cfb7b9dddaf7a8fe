#include "kernels/cross_entropy.h"

#include "bench/ops/ops.h"
#include "tests/cases/cross_entropy.h"
#include "tests/cases/matmul.h"

namespace xf::bench {

namespace {

using Values = std::vector<double>;

// Over the logits, as the model calls it.
Case over_logits(const Scope& scope, const tests::CrossEntropyCase& c) {
  return case_of(scope.target, "cross_entropy", {c.N, c.V}, "",
                 {2 * product(c.N, c.V) * scope.e() + 4 * product(c.N, 1), 6 * product(c.N, c.V)},
                 [=](Inputs& in) {
                   const auto spread = static_cast<float>(c.spread);
                   const std::vector<int32_t> words = tests::cross_entropy_targets(c.N, c.V);
                   const Tensor z = in.random({c.N, c.V}, -spread, spread), targets = in.ids(words);
                   const Tensor loss = in.zero_sums({2});
                   const kernels::CrossEntropy options{.label_smoothing = static_cast<float>(c.smoothing)};
                   return Call{[=] { kernels::cross_entropy(z, targets, options, loss, z); },
                               {{loss, 10, 1}, {z, 10, 1e-3}},
                               [=] {
                                 const auto r = tests::cross_entropy_reference(tests::as_doubles(z), words,
                                                                               options.label_smoothing, c.V);
                                 return Expected{{r.loss, r.unsmoothed}, r.dz};
                               },
                               {{{"targets", targets}, {"z", z}, {"loss", loss}},
                                {{"label_smoothing", options.label_smoothing}}}};
                 });
}

struct Projection {
  Projection(Inputs& in, int64_t N, int64_t D, int64_t V, float smoothing)
      : words(tests::cross_entropy_targets(N, V)),
        options{.label_smoothing = smoothing},
        x(in.random({N, D})),
        w(in.random({V, D}, -0.1f, 0.1f)),
        bias(in.random({V})),
        targets(in.ids(words)),
        logits(in.poisoned(kernels::logits_chunk(N, V, x.device()))),
        loss(in.zero_sums({2})),
        gradients{in.poisoned({N, D}), in.zero_sums({V, D}), in.zero_sums({V})} {
    const int64_t places = kernels::padded_vocabulary(V, x.dtype(), x.device());
    if (places > V) padded = {in.poisoned({places, D}), in.poisoned({places})};
  }
  void run() const {
    kernels::projection_cross_entropy(x, w, bias, targets, options, logits, loss, gradients, padded);
  }
  // {loss, dx, dw, dbias}: matmul's reference around cross-entropy's.
  Expected reference() const {
    using tests::as_doubles, tests::matmul_reference;
    const int64_t N = x.rows(), D = x.width(), V = w.rows();
    const Values xs = as_doubles(x), ws = as_doubles(w), b = as_doubles(bias);
    Values start;
    for (int64_t n = 0; n < N; ++n) start.insert(start.end(), b.begin(), b.end());
    const Values z = matmul_reference({"", N, V, D}, xs, false, ws, true, start);
    const auto ce = tests::cross_entropy_reference(z, words, options.label_smoothing, V);
    Values dbias(b.size());
    for (size_t i = 0; i < ce.dz.size(); ++i) dbias[i % dbias.size()] += ce.dz[i];
    return {{ce.loss, ce.unsmoothed},
            matmul_reference({"", N, D, V}, ce.dz, false, ws, false, Values(xs.size())),
            matmul_reference({"", V, D, N}, ce.dz, true, xs, false, Values(ws.size())),
            dbias};
  }
  std::vector<int32_t> words;
  kernels::CrossEntropy options;
  Tensor x, w, bias, targets, logits, loss;
  kernels::ProjectionGradients gradients;
  kernels::PaddedProjection padded;
};

// The logits stay in the cache, chunk by chunk.
Case with_projection(const Scope& scope, int64_t N, int64_t D, int64_t V, float smoothing) {
  const double bytes = 2 * (product(N, D) + product(V, D)) * scope.e();
  return case_of(scope.target, "projection_cross_entropy", {N, D, V}, "",
                 {bytes, 6 * product(N, D, V) + 6 * product(N, V)}, [=](Inputs& in) {
                   const Projection p(in, N, D, V, smoothing);
                   return Call{[p] { p.run(); },
                               {{p.loss, 10, 1},
                                {p.gradients.dx, 4, 1e-2},
                                {p.gradients.dw, 4, 1e-2},
                                {p.gradients.dbias, 4, 1e-2}},
                               [p] { return p.reference(); }};
                 });
}

}  // namespace

void cross_entropy_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows) {
  constexpr double kSmoothing = 0.1, kSpread = 3;
  rows.push_back(over_logits(scope, {"", size_of(sizes, "N"), size_of(sizes, "V"), kSmoothing, kSpread}));
}

void cross_entropy_rows(const Scope& scope, std::vector<Case>& rows) {
  constexpr int64_t kOddWidth = 33;
  if (scope.odd()) {
    for (const tests::CrossEntropyCase& c : tests::cross_entropy_cases()) {
      rows.push_back(over_logits(scope, c));
      if (product(c.N, c.V) < 1e5) {
        rows.push_back(with_projection(scope, c.N, kOddWidth, c.V, static_cast<float>(c.smoothing)));
      }
    }
    return;
  }
  const nn::TransformerConfig& model = scope.model.config;
  const int64_t T = scope.model.tokens(), V = model.target_vocabulary;
  const int64_t chunk = kernels::logits_chunk(T, V, scope.target.device)[0];
  rows.push_back(over_logits(scope, {"", chunk, V, model.label_smoothing, 3}));
  rows.push_back(with_projection(scope, T, model.dim, V, model.label_smoothing));
  // What a vocabulary that is no multiple of 16 bytes costs the products, though rows of logits
  // begin at one.
  constexpr int64_t kAligned = 8;
  if (scope.target.device.type == DeviceType::cuda && V % kAligned != 0) {
    rows.push_back(
        with_projection(scope, T, model.dim, (V / kAligned + 1) * kAligned, model.label_smoothing));
  }
}

}  // namespace xf::bench
