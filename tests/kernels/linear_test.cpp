// Expectations: the affine map in f64, central differences, and the activation op on its own.
#include "kernels/linear.h"

#include <catch2/catch.hpp>

#include "kernels/elementwise.h"
#include "tests/cases/dropout_factor.h"
#include "tests/cases/linear.h"
#include "tests/cases/matmul.h"
#include "tests/support/compare.h"
#include "tests/support/gradcheck.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

TEST_CASE("Linear: y = x W^T + bias, with a bias and without", "[unit]") {
  for (const auto& c : linear_cases()) {
    INFO(c.reason);
    const auto x = random_values(c.N * c.K, 1), w = random_values(c.M * c.K, 2), bias = random_values(c.M, 3);
    std::vector<double> start;
    for (int64_t n = 0; n < c.N; ++n) start.insert(start.end(), bias.begin(), bias.end());
    const MatmulCase product{c.reason, c.N, c.M, c.K};
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Tensor X = tensor_of(x, {c.N, c.K}, dtype), W = tensor_of(w, {c.M, c.K}, dtype);
      const Tensor y = poisoned({c.N, c.M}, dtype);
      linear_forward(X, W, tensor_of(bias, {c.M}, dtype), y);
      CHECK(max_relative_error(y, matmul_reference(product, x, false, w, true, start)) < tolerance(dtype));
      linear_forward(X, W, {}, y);
      const std::vector<double> zero(start.size(), 0.0);
      CHECK(max_relative_error(y, matmul_reference(product, x, false, w, true, zero)) < tolerance(dtype));
    }
  }
}

TEST_CASE("Linear: gradients agree with central differences, weights and bias accumulate", "[grad]") {
  for (const auto& c : linear_cases()) {
    INFO(c.reason);
    const Tensor x = random_tensor({c.N, c.K}, DType::f64, 1), w = random_tensor({c.M, c.K}, DType::f64, 2);
    const Tensor bias = random_tensor({c.M}, DType::f64, 3), dy = random_tensor({c.N, c.M}, DType::f64, 4);
    const Tensor y = poisoned({c.N, c.M}, DType::f64), dx = poisoned({c.N, c.K}, DType::f64);
    const Tensor dw = Tensor::zeros({c.M, c.K}, DType::f64), dbias = Tensor::zeros({c.M}, DType::f64);
    const auto loss = [&] {
      linear_forward(x, w, bias, y);
      return weighted_sum(y, dy);
    };
    linear_backward_input(dy, w, Accumulate::no, dx);
    linear_backward_weight(dy, x, dw, dbias);
    CHECK(gradient_error(loss, x, dx) < 1e-6);
    CHECK(gradient_error(loss, w, dw) < 1e-6);
    CHECK(gradient_error(loss, bias, dbias) < 1e-6);
    const Tensor once = Tensor::from(dw.to_vector<double>(), dw.shape());
    linear_backward_weight(dy, x, dw, {});
    scale(once, 2, once);
    CHECK(max_relative_error(dw, once) < tolerance(DType::f64));
  }
}

TEST_CASE("Linear: the feed-forward pair's gradient agrees with central differences", "[grad]") {
  // a = dropout(f(h W1^T + bias)), y = a W2^T
  for (const auto& c : linear_cases()) {
    for (const Activation activation : {Activation::relu, Activation::gelu}) {
      INFO(c.reason << (activation == Activation::relu ? ", relu" : ", gelu"));
      const Dropout dropout = test_dropout(0.2f);
      const Tensor h = random_tensor({c.N, c.K}, DType::f64, 1),
                   w1 = random_tensor({c.M, c.K}, DType::f64, 2);
      const Tensor bias = random_tensor({c.M}, DType::f64, 3), w2 = random_tensor({c.K, c.M}, DType::f64, 4);
      const Tensor dy = random_tensor({c.N, c.K}, DType::f64, 5), y = poisoned({c.N, c.K}, DType::f64);
      const Tensor a = poisoned({c.N, c.M}, DType::f64), dpre = poisoned({c.N, c.M}, DType::f64);
      const Tensor pre = activation == Activation::gelu ? poisoned({c.N, c.M}, DType::f64) : Tensor();
      const Tensor dbias = Tensor::zeros({c.M}, DType::f64), dh = poisoned({c.N, c.K}, DType::f64);
      const auto loss = [&] {
        linear_activation_forward(h, w1, bias, activation, dropout, pre, a);
        linear_forward(a, w2, {}, y);
        return weighted_sum(y, dy);
      };
      loss();
      linear_activation_backward_input(dy, w2, pre.defined() ? pre : a, bias, activation, dropout, dpre,
                                       dbias);
      linear_backward_input(dpre, w1, Accumulate::no, dh);
      CHECK(gradient_error(loss, bias, dbias) < 1e-6);
      CHECK(gradient_error(loss, h, dh) < 1e-6);
    }
  }
}

TEST_CASE("Linear: an input gradient can be added to what another branch left", "[unit]") {
  const Tensor dy = random_tensor({3, 4}, DType::f64, 1), w = random_tensor({4, 5}, DType::f64, 2);
  const Tensor sum = random_tensor({3, 5}, DType::f64, 3), expected = random_tensor({3, 5}, DType::f64, 3);
  const Tensor dx = poisoned({3, 5}, DType::f64);
  linear_backward_input(dy, w, Accumulate::no, dx);
  add_in_place(dx, expected);
  linear_backward_input(dy, w, Accumulate::yes, sum);
  CHECK(max_relative_error(sum, expected) < tolerance(DType::f64));
}

TEST_CASE("Linear: gelu must keep the product, relu must not", "[unit]") {
  const Tensor x = random_tensor({3, 4}, DType::f32, 1), w = random_tensor({5, 4}, DType::f32, 2);
  const Tensor bias = random_tensor({5}, DType::f32, 3), a = poisoned({3, 5}, DType::f32);
  CHECK_THROWS_AS(linear_activation_forward(x, w, bias, Activation::gelu, {}, {}, a), Error);
  CHECK_THROWS_AS(linear_activation_forward(x, w, bias, Activation::relu, {}, a, a), Error);
}
