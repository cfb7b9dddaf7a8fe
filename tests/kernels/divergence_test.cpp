#include "kernels/divergence.h"

#include "tests/cases/cross_entropy.h"
#include "tests/cases/divergence.h"
#include "tests/support/catch.h"
#include "tests/support/gradcheck.h"
#include "tests/support/odd_view.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::tests;
using xf::kernels::Divergence;
using xf::kernels::divergence;

namespace {

const Target kF32{Device::cpu(), DType::f32}, kF64{Device::cpu(), DType::f64};

struct Op {
  Divergence options{.weight = 0.7f};
  Tensor z, bias, targets, loss, dz;

  Op(const DivergenceCase& c, const Target& t) {
    z = t.random({2 * c.N, c.V}, 1, -c.spread, c.spread);
    bias = t.random({c.V}, 2);
    targets = t.ids(cross_entropy_targets(c.N, c.V));
    loss = t.sums({0}, {1});
    dz = t.poisoned({2 * c.N, c.V});
  }
  void run() const { divergence(z, bias, targets, options, loss, dz); }
  DivergenceReference reference() const {
    return divergence_reference(as_doubles(z), bias.defined() ? as_doubles(bias) : std::vector<double>(),
                                targets.to_vector<int32_t>(), static_cast<double>(options.weight), z.width());
  }
};

}  // namespace

// SD1, SD2, SD3
TEST_CASE("Divergence: loss and gradient match the definition, with a bias and without", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const DivergenceCase& c : divergence_cases()) {
      for (const bool with_bias : {true, false}) {
        Op op(c, t);
        if (!with_bias) op.bias = {};
        op.run();
        const auto expected = op.reference();
        INFO(c.why << ", bias " << with_bias << ", " << name_of(t));
        // Sums of differences lose |d| * 2^-24 in f32.
        const double limit = t.dtype != DType::f64 && c.spread > 100 ? 1e-2 : t.gradient_tolerance();
        CHECK(max_relative_error(op.loss, {expected.loss}, 1.0) <
              (c.spread > 100 ? 1e-4 : tolerance(t.accumulator())));
        CHECK(max_relative_error(op.dz, expected.dz, 1e-3) < limit);
      }
    }
  }
}

TEST_CASE("Divergence: the gradient matches central differences", "[grad]") {
  for (const DivergenceCase& c :
       {DivergenceCase{"", 1, 2, 1}, {"", 3, 31, 2}, {"", 7, 33, 2}, {"", 2, 129, 2}}) {
    const Op op(c, kF64);
    op.run();
    const Tensor unused = kF64.poisoned({2 * c.N, c.V});
    const auto loss = [&] {
      op.loss.fill_zero();
      divergence(op.z, op.bias, op.targets, op.options, op.loss, unused);
      return as_doubles(op.loss)[0];
    };
    INFO("N " << c.N << ", V " << c.V);
    CHECK(gradient_error(loss, op.z, op.dz) < 1e-6);
  }
}

// Of probabilities 1/2 1/2 and 1/4 3/4: (1/4) log 2 + (-1/4) log(2/3) = (1/4) log 3.
TEST_CASE("Divergence: a pair by hand, equal rows have none, and no row's gradient has a sum", "[unit]") {
  const Tensor z = Tensor::from(std::vector<double>{0, 0, 0, std::log(3.0)}, {2, 2}),
               dz = Tensor::zeros({2, 2}, DType::f64);
  const Tensor loss = Tensor::zeros({1}, DType::f64), target = Tensor::from(std::vector<int32_t>{0});
  divergence(z, {}, target, {}, loss, dz);
  CHECK(as_doubles(loss)[0] == Approx(std::log(3.0) / 4));
  const auto g = as_doubles(dz);
  CHECK(std::abs(g[0] + g[1]) < 1e-15);
  CHECK(std::abs(g[2] + g[3]) < 1e-15);
  const Tensor equal = Tensor::from(std::vector<double>{1, 2, 1, 2}, {2, 2});
  divergence(equal, {}, target, {}, loss, dz);
  CHECK(as_doubles(loss)[0] == Approx(std::log(3.0) / 4));  // accumulated
  CHECK(as_doubles(dz) == std::vector<double>(4, 0.0));
}

TEST_CASE("Divergence: pairs that are ignored count nothing, and are zero, not NaN", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {5, 1033}) {
      const Op op({"", 3, V, 1}, t);
      divergence(op.z, op.bias, t.ids({0, 0, 0}), {.weight = 1, .ignore_id = 0}, op.loss, op.dz);
      CHECK(as_doubles(op.loss) == std::vector<double>{0});
      CHECK(as_doubles(op.dz) == std::vector<double>(static_cast<size_t>(6 * V), 0.0));
    }
  }
}

TEST_CASE("Divergence: logits that begin anywhere are as good, a NaN reaches the loss", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {39, 1041}) {
      Op op({"", 5, V, 3}, t);
      const auto expected = op.reference();
      op.z = odd_view(op.z);
      op.run();
      INFO("V " << V << ", " << name_of(t));
      CHECK(max_relative_error(op.loss, {expected.loss}) < tolerance(t.accumulator()));
      CHECK(max_relative_error(op.dz, expected.dz, 1e-3) < t.gradient_tolerance());
      auto values = as_doubles(op.z);
      values[7] = std::nan("");
      op.z = t.tensor(values, {10, V});
      op.run();
      CHECK(std::isnan(as_doubles(op.loss)[0]));
    }
  }
}

TEST_CASE("Divergence: same bits at any number of threads, and twice", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Op op({"several threads", 300, 131, 2}, kF32);
    op.run();
    return std::vector<Tensor>{op.loss, op.dz};
  }));
}

TEST_CASE("Divergence: rejects wrong shapes by name", "[unit]") {
  const Op op({"", 3, 5, 1}, kF32);
  const Tensor two = Tensor::from(std::vector<int32_t>{1, 2});
  CHECK_THROWS_WITH(divergence(op.z, op.bias, two, op.options, op.loss, op.dz),
                    "divergence: targets must be [3], got [2]");
  CHECK_THROWS_WITH(divergence(op.z.slice_rows(0, 5), op.bias, two, op.options, op.loss, op.dz),
                    "divergence: z must have two rows for each token, got [5, 5]");
  CHECK_THROWS_WITH(divergence(op.z, two, op.targets, op.options, op.loss, op.dz),
                    "divergence: bias must be [5], got [2]");
}
