// Expectations: the definition in f64 (tests/cases/activation.h) and central differences.
#include "kernels/activation.h"

#include "tests/cases/activation.h"
#include "tests/support/catch.h"
#include "tests/support/gradcheck.h"
#include "tests/support/odd_view.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

template <typename Body>
void for_every_case(const Body& body) {
  for (const auto& c : activation_cases()) {
    for (const Activation activation : kActivations) {
      for (const float p : {0.0f, 0.25f}) {
        INFO(c.reason << ", " << name_of(activation) << ", dropout " << p);
        body(c, activation, test_dropout(p));
      }
    }
  }
}

}  // namespace

// AC0, AC1, AC3, AC7
TEST_CASE("BiasActivation: agrees with the definition", "[unit][device]") {
  for_every_case([](const ActivationCase& c, Activation activation, const Dropout& dropout) {
    for (const Target& t : targets()) {
      INFO(name_of(t));
      const Tensor x = t.random({c.N, c.F}, 1, -4, 4), bias = t.random({c.F}, 2), a = t.poisoned({c.N, c.F});
      const auto inputs = as_doubles(x), biases = as_doubles(bias);
      std::vector<double> expected;
      for (int64_t n = 0; n < c.N; ++n) {
        for (int64_t i = 0; i < c.F; ++i) {
          expected.push_back(activate(activation, inputs[n * c.F + i] + biases[i]) *
                             dropout_factor(dropout, n, i));
        }
      }
      bias_activation_forward(x, bias, activation, dropout_on(t.device, dropout), a);
      CHECK(max_relative_error(a, expected) < t.forward_tolerance());
    }
  });
}

// AC2, AC4, AC5, AC6, AC8
TEST_CASE("BiasActivation: gradients agree with the definition, in place, dbias accumulated",
          "[unit][device]") {
  for_every_case([](const ActivationCase& c, Activation activation, const Dropout& dropout) {
    for (const Target& t : targets()) {
      INFO(name_of(t));
      const Dropout there = dropout_on(t.device, dropout);
      const Tensor x = t.random({c.N, c.F}, 1, -3, 3), bias = t.random({c.F}, 2), a = t.poisoned({c.N, c.F});
      const Tensor dx = t.random({c.N, c.F}, 3), dbias = t.sums(random_values(c.F, 4), {c.F});
      const auto inputs = as_doubles(x), biases = as_doubles(bias);
      auto expected = as_doubles(dx), sums = as_doubles(dbias);
      for (int64_t n = 0; n < c.N; ++n) {
        for (int64_t i = 0; i < c.F; ++i) {
          expected[n * c.F + i] *= activation_derivative(activation, inputs[n * c.F + i] + biases[i]) *
                                   dropout_factor(dropout, n, i);
          sums[i] += expected[n * c.F + i];
        }
      }
      bias_activation_forward(x, bias, activation, there, a);
      bias_activation_backward(dx, keeps_input(activation) ? x : a, bias, activation, there, dx, dbias);
      CHECK(max_relative_error(dx, expected) < t.gradient_tolerance());
      CHECK(max_relative_error(dbias, sums) < t.gradient_tolerance());
    }
  });
}

// AC7, AC8: the sigmoid is 3/4 at ln 3, 1/2 at 0 and 1/4 at -ln 3.
TEST_CASE("BiasActivation: swish and its slope at ln 3, 0 and -ln 3 are those calculated by hand",
          "[golden][device]") {
  const double z = std::log(3.0);
  for (const Target& t : targets()) {
    const Tensor x = t.tensor({z - 1, 1, -1, 1 - z}, {2, 2}), bias = t.tensor({1, -1}, {2});
    const Tensor a = t.poisoned({2, 2}), dx = t.tensor({2, 2, 2, 2}, {2, 2}), dbias = t.sums({10, 0}, {2});
    bias_activation_forward(x, bias, Activation::swish, {}, a);
    CHECK(max_relative_error(a, {0.75 * z, 0, 0, -0.25 * z}) < t.forward_tolerance());
    bias_activation_backward(dx, x, bias, Activation::swish, {}, dx, dbias);
    const double high = 2 * (0.75 + z * 3 / 16), low = 2 * (0.25 - z * 3 / 16);
    CHECK(max_relative_error(dx, {high, 1, 1, low}) < t.gradient_tolerance());
    CHECK(max_relative_error(dbias, {10 + high + 1, 1 + low}) < t.gradient_tolerance());
  }
}

TEST_CASE("BiasActivation: the same bits wherever the tensors begin", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const Activation activation : kActivations) {
      const Dropout dropout = dropout_on(t.device, test_dropout(0.1f));
      const auto run = [&](const auto& place) {
        const Tensor x = place(t.random({67, 136}, 1)), bias = place(t.random({136}, 2)),
                     a = place(t.poisoned({67, 136})), dx = place(t.random({67, 136}, 3)),
                     dbias = t.sums(random_values(136, 4), {136});
        bias_activation_forward(x, bias, activation, dropout, a);
        bias_activation_backward(dx, keeps_input(activation) ? x : a, bias, activation, dropout, dx, dbias);
        return std::vector<Tensor>{a, dx, dbias};
      };
      const auto aligned = run([](const Tensor&tensor) { return tensor; }), unaligned = run(odd_view);
      for (size_t i = 0; i < aligned.size(); ++i) CHECK(same_bits(aligned[i], unaligned[i]));
    }
  }
}

TEST_CASE("BiasActivation: gradients agree with central differences", "[grad]") {
  for_every_case([](const ActivationCase& c, Activation activation, const Dropout& dropout) {
    if (c.N * c.F > 2000) return;
    const Tensor x = random_tensor({c.N, c.F}, DType::f64, 1, -3, 3),
                 bias = random_tensor({c.F}, DType::f64, 2);
    const Tensor da = random_tensor({c.N, c.F}, DType::f64, 3), a = poisoned({c.N, c.F}, DType::f64);
    const Tensor dx = poisoned({c.N, c.F}, DType::f64), dbias = Tensor::zeros({c.F}, DType::f64);
    const auto loss = [&] {
      bias_activation_forward(x, bias, activation, dropout, a);
      return weighted_sum(a, da);
    };
    loss();
    const Tensor& saved = keeps_input(activation) ? x : a;
    bias_activation_backward(da, saved, bias, activation, dropout, dx, dbias);
    CHECK(gradient_error(loss, x, dx) < 1e-6);
    CHECK(gradient_error(loss, bias, dbias) < 1e-6);
  });
}

TEST_CASE("BiasActivation: NaN and infinity are not hidden", "[unit][device]") {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const Target& t : targets()) {
    for (const Activation activation : kActivations) {
      const Tensor x = t.tensor({nan, infinity, 1, 2}, {1, 4}), a = t.poisoned({1, 4});
      bias_activation_forward(x, t.tensor({0, 0, 0, 0}, {4}), activation, {}, a);
      CHECK(std::isnan(as_doubles(a)[0]));
      CHECK(std::isinf(as_doubles(a)[1]));
    }
  }
}

TEST_CASE("BiasActivation: the same bits at one and two threads", "[unit]") {
  for (const Activation activation : kActivations) {
    CHECK(same_bits_at_any_thread_count([&] {
      const Tensor x = random_tensor({301, 129}, DType::f32, 1), bias = random_tensor({129}, DType::f32, 2);
      const Tensor a = poisoned({301, 129}, DType::f32), dbias = Tensor::zeros({129}, DType::f32);
      bias_activation_forward(x, bias, activation, test_dropout(0.1f), a);
      const Tensor dx = poisoned({301, 129}, DType::f32), &saved = keeps_input(activation) ? x : a;
      bias_activation_backward(x, saved, bias, activation, test_dropout(0.1f), dx, dbias);
      return std::vector<Tensor>{a, dx, dbias};
    }));
  }
}

TEST_CASE("BiasActivation: refuses shapes that do not fit together", "[unit]") {
  const Tensor x = random_tensor({3, 4}, DType::f32, 1), bias = random_tensor({4}, DType::f32, 2);
  CHECK_THROWS_AS(bias_activation_forward(x, random_tensor({3}, DType::f32, 1), Activation::relu, {}, x),
                  Error);
  CHECK_THROWS_AS(bias_activation_forward(x, bias, Activation::relu, {}, poisoned({4, 3}, DType::f32)),
                  Error);
  CHECK_THROWS_AS(bias_activation_forward(x, bias, Activation::relu, {}, poisoned({3, 4}, DType::f64)),
                  Error);
  CHECK_THROWS_AS(bias_activation_forward(x, bias, Activation::relu, test_dropout(1.0f), x), Error);
}
