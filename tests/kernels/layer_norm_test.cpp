#include "kernels/layer_norm.h"

#include "tests/cases/layer_norm.h"
#include "tests/support/catch.h"
#include "tests/support/gradcheck.h"
#include "tests/support/odd_view.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::tests;
using xf::kernels::layer_norm_backward;
using xf::kernels::layer_norm_forward;

namespace {

constexpr float kEps = 1e-5f;
const Target kCpu32{Device::cpu(), DType::f32}, kCpu64{Device::cpu(), DType::f64};

// Inputs and poisoned outputs; parameter gradients start at 0.5, for they are accumulated.
struct Op {
  Tensor x, gamma, beta, dy, y, mean, rstd, dx, dgamma, dbeta;

  Op(const LayerNormCase& c, const Target& t) {
    x = t.random({c.N, c.D}, 1, c.mean - c.spread, c.mean + c.spread);
    gamma = t.random({c.D}, 2, 0.5, 1.5), beta = t.random({c.D}, 3);
    dy = t.random({c.N, c.D}, 4);
    y = t.poisoned({c.N, c.D}), dx = t.poisoned({c.N, c.D});
    mean = t.poisoned_sums({c.N}), rstd = t.poisoned_sums({c.N});
    const std::vector<double> half(static_cast<size_t>(c.D), 0.5);
    dgamma = t.sums(half, {c.D}), dbeta = t.sums(half, {c.D});
  }
  void forward() const { layer_norm_forward(x, gamma, beta, kEps, y, mean, rstd); }
  void backward() const { layer_norm_backward(dy, x, gamma, mean, rstd, dx, dgamma, dbeta); }
  void run() const { forward(), backward(); }
  std::vector<Tensor> results() const { return {y, mean, rstd, dx, dgamma, dbeta}; }
  LayerNormReference reference(const LayerNormCase& c) const {
    return layer_norm_reference(as_doubles(x), as_doubles(gamma), as_doubles(beta), as_doubles(dy), c.N, c.D,
                                kEps);
  }
};

// The op on one row [D] with gamma 1, beta 0: y and, for dy, dx.
std::pair<std::vector<double>, std::vector<double>> plain_row(const std::vector<double>& x,
                                                              const std::vector<double>& dy, float eps) {
  const auto D = static_cast<int64_t>(x.size());
  Op op({"", 1, D}, kCpu64);
  op.x = Tensor::from(x, {1, D}), op.dy = Tensor::from(dy, {1, D});
  op.gamma = Tensor::from(std::vector<double>(x.size(), 1.0)), op.beta = Tensor::zeros({D}, DType::f64);
  layer_norm_forward(op.x, op.gamma, op.beta, eps, op.y, op.mean, op.rstd);
  op.backward();
  return {op.y.to_vector<double>(), op.dx.to_vector<double>()};
}

}  // namespace

// LN0, LN1, LN2, LN3, LN5
TEST_CASE("LayerNorm: forward and backward match the definition", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const LayerNormCase& c : layer_norm_cases()) {
      const Op op(c, t);
      op.run();
      auto expected = op.reference(c);
      for (auto* sums : {&expected.dgamma, &expected.dbeta}) {
        for (double& sum : *sums) sum += 0.5;
      }
      // Statistics and column sums are kept in the accumulator's type, from inputs that are given
      // exactly. In f64 the mean's rounding, 1e4 * 1e-16, stands against the spread of 1e-2 as in
      // f32.
      const double sums = t.accumulator() == DType::f32 ? c.f32_tolerance : c.mean > 1e3 ? 1e-9 : 1e-12;
      INFO(c.why << ", " << name_of(t));
      CHECK(max_relative_error(op.y, expected.y) < std::max(sums, t.forward_tolerance()));
      CHECK(max_relative_error(op.mean, expected.mean) < tolerance(t.accumulator()));
      CHECK(max_relative_error(op.rstd, expected.rstd) < sums);
      CHECK(max_relative_error(op.dx, expected.dx, expected.dx_terms()) <
            std::max(sums, t.gradient_tolerance()));
      CHECK(max_relative_error(op.dgamma, expected.dgamma) < sums);
      CHECK(max_relative_error(op.dbeta, expected.dbeta) < sums);
    }
  }
}

TEST_CASE("LayerNorm: gradients match central differences", "[grad]") {
  for (const auto& [N, D] :
       {std::pair<int64_t, int64_t>{1, 2}, {3, 5}, {31, 7}, {2, 33}, {65, 3}, {1, 127}, {2, 129}}) {
    Op op({"", N, D}, kCpu64);
    op.dgamma.fill_zero(), op.dbeta.fill_zero();
    op.run();
    const Op moved = op;
    const auto loss = [&] {
      moved.forward();
      return weighted_sum(moved.y, op.dy);
    };
    INFO("N " << N << ", D " << D);
    CHECK(gradient_error(loss, op.x, op.dx) < 1e-6);
    CHECK(gradient_error(loss, op.gamma, op.dgamma) < 1e-6);
    CHECK(gradient_error(loss, op.beta, op.dbeta) < 1e-6);
  }
}

TEST_CASE("LayerNorm: rows of y have mean 0 and variance 1, rows of dx sum to 0 and are orthogonal to xhat",
          "[unit]") {
  const std::vector<double> x = random_values(127, 5, -3, 9), dy = random_values(127, 6);
  const auto [y, dx] = plain_row(x, dy, 0);
  double mean = 0, variance = 0, sum = 0, along = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    mean += y[i] / 127, variance += y[i] * y[i] / 127, sum += dx[i], along += dx[i] * y[i];
  }
  CHECK(std::abs(mean) < 1e-14);
  CHECK(variance == Approx(1).epsilon(1e-14));
  CHECK(std::abs(sum) < 1e-13);
  CHECK(std::abs(along) < 1e-13);
}

// (1 - 2.5) / sqrt(1.25) and so on: exact arithmetic, eps as given.
TEST_CASE("LayerNorm: the row 1, 2, 3, 4 gives the values computed by hand", "[golden]") {
  const std::vector<double> x = {1, 2, 3, 4}, dy = {1, 0, 0, 0};
  const auto [exact, gradient] = plain_row(x, dy, 1e-12f);
  CHECK(max_relative_error(exact, {-1.3416407, -0.4472136, 0.4472136, 1.3416407}) < 1e-7);
  CHECK(max_relative_error(gradient, {0.2683282, -0.3577709, -0.0894427, 0.1788854}) < 1e-6);
  CHECK(max_relative_error(plain_row(x, dy, 1e-5f).first, {-1.3416354, -0.4472118, 0.4472118, 1.3416354}) <
        1e-7);
}

TEST_CASE("LayerNorm: a constant row gives beta, and a gradient of scale 1/sqrt(eps)", "[golden]") {
  const auto [y, dx] = plain_row({3, 3, 3, 3}, {1, 0, 0, 0}, 1e-12f);
  CHECK(y == std::vector<double>(4, 0.0));
  CHECK(max_relative_error(dx, {7.5e5, -2.5e5, -2.5e5, -2.5e5}) < 1e-6);
}

TEST_CASE("LayerNorm: same bits at any number of threads, and twice", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Op op({"several threads", 301, 130}, kCpu32);
    op.run();
    return op.results();
  }));
}

TEST_CASE("LayerNorm: same bits twice, and wherever the rows lie in memory", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const LayerNormCase& c : {LayerNormCase{"a warp per row", 70, 512}, {"a block per row", 19, 1032}}) {
      INFO(c.why << ", " << name_of(t));
      const Op first(c, t), second(c, t);
      Op odd(c, t);
      for (Tensor* x : {&odd.x, &odd.gamma, &odd.beta, &odd.dy, &odd.y, &odd.dx}) *x = odd_view(*x);
      first.run(), second.run(), odd.run();
      for (size_t i = 0; i < first.results().size(); ++i) {
        CHECK(same_bits(second.results()[i], first.results()[i]));
        CHECK(same_bits(odd.results()[i], first.results()[i]));
      }
    }
  }
}

TEST_CASE("LayerNorm: a constant row gives beta, to the bit", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t D : {32, 1024, 4096}) {  // powers of two: the mean of equal elements is
                                                // exact
      const Op op({"constant", 3, D, 2, 0}, t);
      op.run();
      INFO(name_of(t) << ", D " << D);
      for (int64_t n = 0; n < 3; ++n) CHECK(same_bits(op.y.slice_rows(n, n + 1).reshape({D}), op.beta));
      CHECK(as_doubles(op.mean) == std::vector<double>(3, 2.0));
      CHECK(as_doubles(op.dgamma) == std::vector<double>(static_cast<size_t>(D), 0.5));
    }
  }
}

TEST_CASE("LayerNorm: y may be x, dx may be dy", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t D : {33, 1029}) {
      INFO(name_of(t) << ", D " << D);
      const Op op({"", 18, D}, t);
      op.run();
      const Op in_place({"", 18, D}, t);
      layer_norm_backward(in_place.dy, in_place.x, in_place.gamma, op.mean, op.rstd, in_place.dy,
                          in_place.dgamma, in_place.dbeta);
      CHECK(same_bits(in_place.dy, op.dx));
      CHECK(same_bits(in_place.dgamma, op.dgamma));
      layer_norm_forward(in_place.x, in_place.gamma, in_place.beta, kEps, in_place.x, in_place.mean,
                         in_place.rstd);
      CHECK(same_bits(in_place.x, op.y));
    }
  }
}

TEST_CASE("LayerNorm: an empty batch and a meta tensor do nothing", "[unit][device]") {
  for (const Target& t : targets()) {
    const Op op({"", 0, 4}, t);
    op.run();
    CHECK(as_doubles(op.dgamma) == std::vector<double>(4, 0.5));
  }
  const auto meta = [](Shape shape) { return Tensor::empty(shape, DType::f32, Device::meta()); };
  layer_norm_forward(meta({2, 4}), meta({4}), meta({4}), kEps, meta({2, 4}), meta({2}), meta({2}));
}
