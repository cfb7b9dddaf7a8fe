// Expectations: the definition in f64 (tests/cases/activation.h) and central differences.
#include "kernels/activation.h"

#include <catch2/catch.hpp>

#include "tests/cases/activation.h"
#include "tests/support/compare.h"
#include "tests/support/gradcheck.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

template <typename Body>
void for_every_case(const Body& body) {
  for (const auto& c : activation_cases()) {
    for (const Activation activation : {Activation::relu, Activation::gelu}) {
      for (const float p : {0.0f, 0.25f}) {
        INFO(c.reason << ", " << (activation == Activation::relu ? "relu" : "gelu") << ", dropout " << p);
        body(c, activation, test_dropout(p));
      }
    }
  }
}

}  // namespace

TEST_CASE("BiasActivation: agrees with the definition", "[unit]") {
  for_every_case([](const ActivationCase& c, Activation activation, const Dropout& dropout) {
    const auto x = random_values(c.N * c.F, 1, -4, 4), bias = random_values(c.F, 2);
    std::vector<double> expected;
    for (int64_t n = 0; n < c.N; ++n) {
      for (int64_t i = 0; i < c.F; ++i) {
        expected.push_back(activation_reference(activation, x[n * c.F + i] + bias[i]) *
                           dropout_factor(dropout, n, i));
      }
    }
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Tensor a = poisoned({c.N, c.F}, dtype);
      bias_activation_forward(tensor_of(x, {c.N, c.F}, dtype), tensor_of(bias, {c.F}, dtype), activation,
                              dropout, a);
      CHECK(max_relative_error(a, expected) < tolerance(dtype));
    }
  });
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
    const Tensor& saved = activation == Activation::relu ? a : x;
    bias_activation_backward(da, saved, bias, activation, dropout, dx, dbias);
    CHECK(gradient_error(loss, x, dx) < 1e-6);
    CHECK(gradient_error(loss, bias, dbias) < 1e-6);
  });
}

TEST_CASE("BiasActivation: f32 gradients agree with f64, in place, dbias accumulated", "[unit]") {
  for_every_case([](const ActivationCase& c, Activation activation, const Dropout& dropout) {
    std::vector<Tensor> dx, dbias;
    for (const DType dtype : {DType::f64, DType::f32}) {
      const Tensor x = random_tensor({c.N, c.F}, dtype, 1, -3, 3), bias = random_tensor({c.F}, dtype, 2);
      const Tensor a = poisoned({c.N, c.F}, dtype);
      bias_activation_forward(x, bias, activation, dropout, a);
      dx.push_back(random_tensor({c.N, c.F}, dtype, 3));
      dbias.push_back(random_tensor({c.F}, dtype, 4));
      bias_activation_backward(dx.back(), activation == Activation::relu ? a : x, bias, activation, dropout,
                               dx.back(), dbias.back());
    }
    CHECK(max_relative_error(dx[1], dx[0]) < tolerance(DType::f32));
    CHECK(max_relative_error(dbias[1], dbias[0]) < tolerance(DType::f32));
  });
}

TEST_CASE("BiasActivation: NaN and infinity are not hidden", "[unit]") {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  for (const Activation activation : {Activation::relu, Activation::gelu}) {
    const Tensor x = Tensor::from(std::vector<float>{nan, infinity, 1, 2}, {1, 4}),
                 a = poisoned({1, 4}, DType::f32);
    bias_activation_forward(x, Tensor::zeros({4}, DType::f32), activation, {}, a);
    CHECK(std::isnan(a.data<float>()[0]));
    CHECK(std::isinf(a.data<float>()[1]));
  }
}

TEST_CASE("BiasActivation: the same bits at one and two threads", "[unit]") {
  for (const Activation activation : {Activation::relu, Activation::gelu}) {
    CHECK(same_bits_at_any_thread_count([&] {
      const Tensor x = random_tensor({301, 129}, DType::f32, 1), bias = random_tensor({129}, DType::f32, 2);
      const Tensor a = poisoned({301, 129}, DType::f32), dbias = Tensor::zeros({129}, DType::f32);
      bias_activation_forward(x, bias, activation, test_dropout(0.1f), a);
      const Tensor dx = poisoned({301, 129}, DType::f32), &saved = activation == Activation::relu ? a : x;
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
