// The norms that others use, and log-softmax: a row calculated by hand, and gradients against
// central differences.
#include "tools/tutorials/model/row_nodes.h"

#include "tests/support/catch.h"
#include "tests/support/differentiate.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;
using quirks::NormFormula;

namespace {

using Values = std::vector<double>;

void check_near(const Values& actual, const Values& expected, double margin) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == Approx(expected[i]).margin(margin));
}

Function norm(NormFormula formula, float eps) {
  return [=](Tape& tape, const Variables& x) {
    if (formula == NormFormula::variance) return autograd::layer_norm(tape, x[0], x[1], x[2], eps);
    return quirks::deviation_norm(tape, x[0], x[1], x[2], formula, eps);
  };
}

// With gains 1 and offsets 0; the gradient is that of dy = 1 0 0 0.
struct Normed {
  Values y, dx;
  Normed(NormFormula formula, float eps, const Values& x = {1, 2, 3, 4}) {
    const Tensor one = Tensor::from(Values{1, 1, 1, 1}), zero = Tensor::from(Values{0, 0, 0, 0});
    const Derivatives given = differentiate(norm(formula, eps), {Tensor::from(x, {1, 4}), one, zero},
                                            Tensor::from(Values{1, 0, 0, 0}, {1, 4}));
    y = as_doubles(given.value), dx = as_doubles(given.gradients[0]);
  }
};

constexpr float kTiny = 1e-12f;

}  // namespace

TEST_CASE(
    "Quirks: norms of 1 2 3 4: of the variance, of the deviation, and with the brackets forgotten (Q7) (Q8)",
    "[golden]") {
  // Mean 2.5, sum of squares 5: sqrt(5/4) = 1.1180340, sqrt(5/3) = 1.2909944.
  check_near(Normed(NormFormula::variance, kTiny).y, {-1.3416407, -.4472136, .4472136, 1.3416407}, 5e-8);
  check_near(Normed(NormFormula::variance, 1e-5f).y, {-1.3416354, -.4472118, .4472118, 1.3416354}, 5e-8);
  check_near(Normed(NormFormula::deviation, kTiny).y, {-1.1618950, -.3872983, .3872983, 1.1618950}, 5e-8);
  check_near(Normed(NormFormula::misplaced, 1e-9f).y, {-.9364917, .0635083, 1.0635083, 2.0635083}, 5e-8);
}

TEST_CASE("Quirks: norms of 1 2 3 4 have the gradients of dy = 1 0 0 0 (Q7)", "[golden]") {
  check_near(Normed(NormFormula::variance, kTiny).dx, {.2683, -.3578, -.0894, .1789}, 5e-5);
  check_near(Normed(NormFormula::deviation, kTiny).dx, {.2324, -.3098, -.0775, .1549}, 5e-5);
}

TEST_CASE("Quirks: a constant row is 0 after the norm, and its gradient is as large as 1 / eps makes it (Q7)",
          "[golden]") {
  const Values row{3, 3, 3, 3};
  for (const auto& [formula, size] :
       {std::pair{NormFormula::variance, 1e6}, std::pair{NormFormula::deviation, 1e12}}) {
    const Normed normed(formula, kTiny, row);
    CHECK(normed.y == Values{0, 0, 0, 0});
    REQUIRE(normed.dx.size() == 4);
    CHECK(normed.dx[0] == Approx(.75 * size).epsilon(1e-6));
    for (size_t i = 1; i < 4; ++i) CHECK(normed.dx[i] == Approx(-.25 * size).epsilon(1e-6));
  }
}

TEST_CASE("Quirks: gradients of the norms and of log-softmax against central differences", "[grad]") {
  for (const auto& [N, D] : {std::pair<int64_t, int64_t>{1, 2}, {1, 7}, {5, 31}, {33, 3}}) {
    const std::vector<Tensor> inputs{random_tensor({N, D}, DType::f64, 1), random_tensor({D}, DType::f64, 2),
                                     random_tensor({D}, DType::f64, 3)};
    for (const NormFormula formula : {NormFormula::deviation, NormFormula::misplaced})
      CHECK(worst_gradient_error(norm(formula, 1e-2f), inputs) <= 1e-6);
    const Function log_softmax = [](Tape& tape, const Variables& x) {
      return quirks::log_softmax(tape, x[0]);
    };
    CHECK(worst_gradient_error(log_softmax, {inputs[0]}) <= 1e-6);
  }
}

TEST_CASE("Quirks: log-softmax is the logarithm of the softmax, also of logits that overflow", "[golden]") {
  // e^1, e^2, e^3 over their sum: 0.09003057, 0.24472847, 0.66524096.
  const auto of = [](const Values& z) {
    Arena arena(Device::cpu());
    Tape tape(arena, Tape::Mode::inference);
    return as_doubles(quirks::log_softmax(tape, Variable(Tensor::from(z, {1, 3}))).value());
  };
  const Values expected{-2.40760596, -1.40760596, -0.40760596};
  check_near(of({1, 2, 3}), expected, 1e-8);
  check_near(of({1001, 1002, 1003}), expected, 1e-8);
}

TEST_CASE("Quirks: rows that have no deviation are refused", "[unit]") {
  const Tensor one = Tensor::from(Values{1}, {1, 1}), gain = Tensor::from(Values{1});
  Arena arena(Device::cpu());
  Tape tape(arena);
  CHECK_THROWS_AS(quirks::deviation_norm(tape, one, gain, gain, NormFormula::deviation, kTiny), Error);
}
