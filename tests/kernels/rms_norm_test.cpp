#include "kernels/rms_norm.h"

#include "tests/cases/rms_norm.h"
#include "tests/support/catch.h"
#include "tests/support/gradcheck.h"
#include "tests/support/odd_view.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::tests;
using xf::kernels::rms_norm_backward;
using xf::kernels::rms_norm_forward;

namespace {

constexpr float kEps = 1e-5f;
const Target kCpu32{Device::cpu(), DType::f32}, kCpu64{Device::cpu(), DType::f64};

// Inputs and poisoned outputs; the parameter's gradient starts at 0.5, for it is accumulated.
struct Op {
  Tensor x, gamma, dy, y, rstd, dx, dgamma;

  Op(const RmsNormCase& c, const Target& t) {
    x = t.random({c.N, c.D}, 1, c.low, c.high), gamma = t.random({c.D}, 2, 0.5, 1.5);
    dy = t.random({c.N, c.D}, 4);
    y = t.poisoned({c.N, c.D}), dx = t.poisoned({c.N, c.D}), rstd = t.poisoned_sums({c.N});
    dgamma = t.sums(std::vector<double>(static_cast<size_t>(c.D), 0.5), {c.D});
  }
  void forward() const { rms_norm_forward(x, gamma, kEps, y, rstd); }
  void backward() const { rms_norm_backward(dy, x, gamma, rstd, dx, dgamma); }
  void run() const { forward(), backward(); }
  std::vector<Tensor> results() const { return {y, rstd, dx, dgamma}; }
};

// The op on one row [D] with gamma 1: y and, for dy, dx.
std::pair<std::vector<double>, std::vector<double>> plain_row(const std::vector<double>& x,
                                                              const std::vector<double>& dy, float eps) {
  const auto D = static_cast<int64_t>(x.size());
  Op op({"", 1, D}, kCpu64);
  op.x = Tensor::from(x, {1, D}), op.dy = Tensor::from(dy, {1, D});
  op.gamma = Tensor::from(std::vector<double>(x.size(), 1.0));
  rms_norm_forward(op.x, op.gamma, eps, op.y, op.rstd);
  op.backward();
  return {op.y.to_vector<double>(), op.dx.to_vector<double>()};
}

}  // namespace

// RM0, RM1, RM2, RM4
TEST_CASE("RmsNorm: forward and backward match the definition", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const RmsNormCase& c : rms_norm_cases()) {
      const Op op(c, t);
      op.run();
      auto expected =
          rms_norm_reference(as_doubles(op.x), as_doubles(op.gamma), as_doubles(op.dy), c.N, c.D, kEps);
      for (double& sum : expected.dgamma) sum += 0.5;
      // Statistics and column sums are kept in the accumulator's type, from inputs that are given
      // exactly.
      const double sums = backward_tolerance(t.accumulator());
      INFO(c.why << ", " << name_of(t));
      CHECK(max_relative_error(op.y, expected.y) < t.forward_tolerance());
      CHECK(max_relative_error(op.rstd, expected.rstd) < tolerance(t.accumulator()));
      CHECK(max_relative_error(op.dx, expected.dx, expected.dx_terms()) < t.gradient_tolerance());
      CHECK(max_relative_error(op.dgamma, expected.dgamma) < sums);
    }
  }
}

TEST_CASE("RmsNorm: gradients match central differences", "[grad]") {
  for (const auto& [N, D] :
       {std::pair<int64_t, int64_t>{1, 2}, {3, 5}, {31, 7}, {2, 33}, {65, 3}, {1, 127}, {2, 129}}) {
    Op op({"", N, D}, kCpu64);
    op.dgamma.fill_zero();
    op.run();
    const Op moved = op;
    const auto loss = [&] {
      moved.forward();
      return weighted_sum(moved.y, op.dy);
    };
    INFO("N " << N << ", D " << D);
    CHECK(gradient_error(loss, op.x, op.dx) < 1e-6);
    CHECK(gradient_error(loss, op.gamma, op.dgamma) < 1e-6);
  }
}

TEST_CASE("RmsNorm: rows of y have mean square 1, and rows of dx are orthogonal to xhat", "[unit]") {
  const std::vector<double> x = random_values(127, 5, -3, 9), dy = random_values(127, 6);
  const auto [y, dx] = plain_row(x, dy, 0);
  double square = 0, along = 0;
  for (size_t i = 0; i < x.size(); ++i) square += y[i] * y[i] / 127, along += dx[i] * y[i];
  CHECK(square == Approx(1).epsilon(1e-14));
  CHECK(std::abs(along) < 1e-13);
}

TEST_CASE("RmsNorm: a row calculated by hand", "[golden]") {
  // x = 1 1 5 7: mean square 76/4 = 19, so xhat = x / sqrt(19); dy = 1 0 0 0: <g xhat> = 1 / (4
  // sqrt(19)), dx = (dy - x / (4 * 19)) / sqrt(19) = {75, -1, -5, -7} / (76 sqrt(19)).
  const auto [y, dx] = plain_row({1, 1, 5, 7}, {1, 0, 0, 0}, 0);
  const double root = std::sqrt(19.0);
  CHECK(max_relative_error(y, {1 / root, 1 / root, 5 / root, 7 / root}) < 1e-15);
  CHECK(max_relative_error(dx, {75 / (76 * root), -1 / (76 * root), -5 / (76 * root), -7 / (76 * root)}) <
        1e-15);
}

TEST_CASE("RmsNorm: same bits at any number of threads, and twice", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Op op({"several threads", 301, 130}, kCpu32);
    op.run();
    return op.results();
  }));
}

TEST_CASE("RmsNorm: same bits twice, and wherever the rows lie in memory", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const RmsNormCase& c : {RmsNormCase{"a warp per row", 70, 512}, {"a block per row", 19, 1032}}) {
      INFO(c.why << ", " << name_of(t));
      const Op first(c, t), second(c, t);
      Op odd(c, t);
      for (Tensor* x : {&odd.x, &odd.gamma, &odd.dy, &odd.y, &odd.dx}) *x = odd_view(*x);
      first.run(), second.run(), odd.run();
      for (size_t i = 0; i < first.results().size(); ++i) {
        CHECK(same_bits(second.results()[i], first.results()[i]));
        CHECK(same_bits(odd.results()[i], first.results()[i]));
      }
    }
  }
}

TEST_CASE("RmsNorm: y may be x, dx may be dy", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t D : {33, 1029}) {
      INFO(name_of(t) << ", D " << D);
      const Op op({"", 18, D}, t), in_place({"", 18, D}, t);
      op.run();
      rms_norm_backward(in_place.dy, in_place.x, in_place.gamma, op.rstd, in_place.dy, in_place.dgamma);
      CHECK(same_bits(in_place.dy, op.dx));
      CHECK(same_bits(in_place.dgamma, op.dgamma));
      rms_norm_forward(in_place.x, in_place.gamma, kEps, in_place.x, in_place.rstd);
      CHECK(same_bits(in_place.x, op.y));
    }
  }
}

TEST_CASE("RmsNorm: an empty batch and a meta tensor do nothing", "[unit][device]") {
  for (const Target& t : targets()) {
    const Op op({"", 0, 4}, t);
    op.run();
    CHECK(as_doubles(op.dgamma) == std::vector<double>(4, 0.5));
  }
  const auto meta = [](Shape shape) { return Tensor::empty(shape, DType::f32, Device::meta()); };
  rms_norm_forward(meta({2, 4}), meta({4}), kEps, meta({2, 4}), meta({2}));
}
