#include "kernels/elementwise.h"

#include <numeric>

#include "bench/ops/ops.h"
#include "tests/cases/elementwise.h"

namespace xf::bench {

namespace {

using Values = std::vector<double>;

constexpr float kFactor = 0.75f;

struct Tensors {
  Tensors(Inputs& in, int64_t N, int64_t D)
      : x(in.random({N, D})),
        y(in.random({N, D})),
        bias(in.random({D})),
        sum(in.zero_sums({D})),
        share(in.random_sums({1}, kFactor, kFactor)) {
    std::vector<int32_t> positive;
    for (const double value : tests::as_doubles(x)) positive.push_back(value > 0);
    mask = in.ids(positive, {N, D});
    std::vector<int32_t> backwards(static_cast<size_t>(N));
    std::iota(backwards.rbegin(), backwards.rend(), 0);
    rows = in.ids(backwards, {N});
  }
  Tensor x, y, bias, sum, share, mask, rows;
};

// An expected element from x, y and bias at its place.
template <typename Element>
Expected each(const Tensors& t, const Element& element) {
  const Values x = tests::as_doubles(t.x), y = tests::as_doubles(t.y), bias = tests::as_doubles(t.bias);
  Values expected(x.size());
  for (size_t i = 0; i < x.size(); ++i) expected[i] = element(x[i], y[i], bias[i % bias.size()]);
  return {expected};
}

Expected column_sums(const Tensors& t) {
  const Values x = tests::as_doubles(t.x);
  Values sums(static_cast<size_t>(t.x.width()));
  for (size_t i = 0; i < x.size(); ++i) sums[i % sums.size()] += x[i];
  return {sums};
}

Expected gathered(const Tensors& t) {
  const Values x = tests::as_doubles(t.x);
  Values expected;
  for (const int32_t row : t.rows.to_vector<int32_t>()) {
    const auto from = x.begin() + row * t.x.width();
    expected.insert(expected.end(), from, from + t.x.width());
  }
  return {expected};
}

// passes: how many of [N, D] are read or written.
template <typename Run, typename Reference>
Case row(const Scope& scope, const char* fn, int64_t N, int64_t D, double passes, const Run& run,
         const Reference& reference) {
  return case_of(scope.target, fn, {N, D}, "", {passes * product(N, D) * scope.e(), product(N, D)},
                 [=](Inputs& in) {
                   const Tensors t(in, N, D);
                   return Call{[=] { run(t); },
                               {{fn == std::string("sum_rows") ? t.sum : t.y, 2, 1}},
                               [=] { return reference(t); }};
                 });
}

void add(const Scope& scope, int64_t N, int64_t D, std::vector<Case>& rows) {
  namespace k = kernels;
  using T = const Tensors&;
  rows.push_back(row(
      scope, "add_in_place", N, D, 3, [](T t) { k::add_in_place(t.x, t.y); },
      [](T t) { return each(t, [](double x, double y, double) { return x + y; }); }));
  rows.push_back(row(
      scope, "add_bias", N, D, 2, [](T t) { k::add_bias(t.bias, t.y); },
      [](T t) { return each(t, [](double, double y, double bias) { return y + bias; }); }));
  rows.push_back(row(
      scope, "sum_rows", N, D, 1, [](T t) { k::sum_rows(t.x, t.sum); }, column_sums));
  rows.push_back(row(
      scope, "scale", N, D, 2, [](T t) { k::scale(t.x, kFactor, t.y); },
      [](T t) { return each(t, [](double x, double, double) { return kFactor * x; }); }));
  rows.push_back(row(
      scope, "move_towards", N, D, 3, [](T t) { k::move_towards(t.x, t.share, t.y); },
      [](T t) { return each(t, [](double x, double y, double) { return y + kFactor * (x - y); }); }));
  rows.push_back(row(
      scope, "masked_fill", N, D, 2 + 4 / scope.e(), [](T t) { k::masked_fill(t.x, t.mask, kFactor, t.y); },
      [](T t) { return each(t, [](double x, double, double) { return x > 0 ? x : kFactor; }); }));
  rows.push_back(row(
      scope, "gather_rows", N, D, 2, [](T t) { k::gather_rows(t.x, t.rows, t.y); }, gathered));
  rows.push_back(row(
      scope, "copy", N, D, 2, [](T t) { k::copy(t.x, t.y); },
      [](T t) { return each(t, [](double x, double, double) { return x; }); }));
  rows.push_back(row(
      scope, "fill_zero", N, D, 1, [](T t) { k::fill_zero(t.y); },
      [](T t) { return each(t, [](double, double, double) { return 0; }); }));
}

}  // namespace

void elementwise_rows(const Scope& scope, std::vector<Case>& rows) {
  if (!scope.odd()) return add(scope, scope.model.tokens(), scope.model.config.dim, rows);
  for (const tests::RowsCase& c : tests::rows_cases()) add(scope, c.N, c.D, rows);
}

}  // namespace xf::bench
