// Expectations: the affine map in f64, central differences, and the activation op on its own.
#include "kernels/linear.h"

#include "kernels/elementwise.h"
#include "kernels/plain/activation.h"
#include "tests/cases/dropout_factor.h"
#include "tests/cases/linear.h"
#include "tests/cases/matmul.h"
#include "tests/support/catch.h"
#include "tests/support/gradcheck.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

std::vector<double> repeated(const std::vector<double>& row, int64_t rows) {
  std::vector<double> all;
  for (int64_t n = 0; n < rows; ++n) all.insert(all.end(), row.begin(), row.end());
  return all;
}

// x W^T + bias in f64.
std::vector<double> affine(const LinearCase& c, const Tensor& x, const Tensor& w, const Tensor& bias) {
  const std::vector<double> row =
      bias.defined() ? as_doubles(bias) : std::vector<double>(static_cast<size_t>(c.M), 0.0);
  return matmul_reference({c.reason, c.N, c.M, c.K}, as_doubles(x), false, as_doubles(w), true,
                          repeated(row, c.N));
}

// Some columns of a wider matrix, as q is of q, k and v.
Tensor view_of(const Target& t, int64_t rows, int64_t width) {
  return t.poisoned({rows, width + 3}).slice_columns(1, width + 1);
}
Tensor random_view(const Target& t, int64_t rows, int64_t width, uint64_t seed) {
  const Tensor view = view_of(t, rows, width);
  view.copy_from(t.random({rows, width}, seed).to(Device::cpu()));
  return view;
}

}  // namespace

// LI1
TEST_CASE("Linear: y = x W^T + bias, with a bias and without, aligned and not", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const auto& c : linear_cases()) {
      INFO(c.reason << ", " << name_of(t));
      const Tensor w = t.random({c.M, c.K}, 2), bias = t.random({c.M}, 3);
      for (const bool view : {false, true}) {
        const Tensor x = view ? random_view(t, c.N, c.K, 1) : t.random({c.N, c.K}, 1);
        for (const Tensor& added : {bias, Tensor()}) {
          const Tensor y = view ? view_of(t, c.N, c.M) : t.poisoned({c.N, c.M});
          linear_forward(x, w, added, y);
          // Where the bias is a step of its own, the product has been rounded before.
          CHECK(max_relative_error(y, affine(c, x, w, added)) <
                (added.defined() ? 2 : 1) * t.forward_tolerance());
        }
      }
    }
  }
}

TEST_CASE("Linear: with each activation, with dropout and without, it is that of the affine map",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const auto& c : linear_cases()) {
      for (const Activation activation : kActivations) {
        for (const float p : {0.0f, 0.2f}) {
          INFO(c.reason << ", " << name_of(activation) << ", p " << p << ", " << name_of(t));
          const Dropout here = test_dropout(p);
          Dropout dropout = here;
          dropout.counter = here.counter.to(t.device);
          const Tensor x = t.random({c.N, c.K}, 1), w = t.random({c.M, c.K}, 2), bias = t.random({c.M}, 3);
          const Tensor pre = keeps_input(activation) ? t.poisoned({c.N, c.M}) : Tensor();
          const Tensor a = t.poisoned({c.N, c.M});
          linear_activation_forward(x, w, bias, activation, dropout, pre, a);
          auto expected = affine(c, x, w, bias);
          for (int64_t n = 0; n < c.N; ++n) {
            for (int64_t m = 0; m < c.M; ++m) {
              double& z = expected[n * c.M + m];
              z = plain::activate(activation, z) * dropout_factor(here, n, m);
            }
          }
          // Where the activation is a step of its own, the product has been rounded before.
          CHECK(max_relative_error(a, expected, 1e-3) < 2 * t.forward_tolerance());
          if (pre.defined()) CHECK(max_relative_error(pre, affine(c, x, w, {})) < t.forward_tolerance());
        }
      }
    }
  }
}

// LI2, LI3, LI4
TEST_CASE("Linear: dw, dbias and dx are written or added to, as the definition says", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const auto& c : linear_cases()) {
      for (const bool view : {false, true}) {
        INFO(c.reason << ", " << name_of(t) << (view ? ", views" : ""));
        const Tensor dy = view ? random_view(t, c.N, c.M, 1) : t.random({c.N, c.M}, 1),
                     w = t.random({c.M, c.K}, 3);
        const Tensor x = view ? random_view(t, c.N, c.K, 2) : t.random({c.N, c.K}, 2);
        const auto sums = [&](Shape shape, uint64_t seed) {
          return t.sums(random_values(shape.numel(), seed), shape);
        };
        const Tensor dw = sums({c.M, c.K}, 4), dbias = sums({c.M}, 5);
        const auto before_w = as_doubles(dw), before_bias = as_doubles(dbias);
        const MatmulCase product{c.reason, c.M, c.K, c.N}, column{c.reason, c.M, 1, c.N};
        linear_backward_weight(dy, x, Accumulate::yes, dw, dbias);
        const std::vector<double> ones(static_cast<size_t>(c.N), 1.0);
        // The inputs are exact and the sums in the accumulator's type.
        CHECK(max_relative_error(dw, matmul_reference(product, as_doubles(dy), true, as_doubles(x), false,
                                                      before_w)) < tolerance(t.accumulator()));
        CHECK(max_relative_error(dbias, matmul_reference(column, as_doubles(dy), true, ones, false,
                                                         before_bias)) < tolerance(t.accumulator()));
        const auto zeros = [](int64_t n) { return std::vector<double>(static_cast<size_t>(n), 0.0); };
        const Tensor fresh = poisoned({c.M, c.K}, t.accumulator(), t.device),
                     fresh_bias = poisoned({c.M}, t.accumulator(), t.device);
        linear_backward_weight(dy, x, Accumulate::no, fresh, fresh_bias);
        CHECK(max_relative_error(fresh, matmul_reference(product, as_doubles(dy), true, as_doubles(x), false,
                                                         zeros(c.M * c.K))) < tolerance(t.accumulator()));
        CHECK(max_relative_error(fresh_bias, matmul_reference(column, as_doubles(dy), true, ones, false,
                                                              zeros(c.M))) < tolerance(t.accumulator()));
        const Tensor again = sums({c.M, c.K}, 4);
        linear_backward_weight(dy, x, Accumulate::yes, again, {});
        CHECK(max_relative_error(again, dw) < tolerance(t.accumulator()));

        const MatmulCase back{c.reason, c.N, c.K, c.M};
        const std::vector<double> nothing(static_cast<size_t>(c.N * c.K), 0.0);
        const Tensor dx = t.poisoned({c.N, c.K});
        linear_backward_input(dy, w, Accumulate::no, dx);
        CHECK(max_relative_error(dx, matmul_reference(back, as_doubles(dy), false, as_doubles(w), false,
                                                      nothing)) < t.gradient_tolerance());
        const auto before = as_doubles(dx);
        linear_backward_input(dy, w, Accumulate::yes, dx);
        CHECK(max_relative_error(dx, matmul_reference(back, as_doubles(dy), false, as_doubles(w), false,
                                                      before)) < t.gradient_tolerance());
      }
    }
  }
}

TEST_CASE("Linear: the feed-forward pair's gradient is the product's, through the activation",
          "[unit][device]") {
  // Against the steps one by one: bias_activation_backward has its own expectation in
  // activation_test.cpp.
  for (const Target& t : targets()) {
    for (const auto& c : linear_cases()) {
      for (const Activation activation : kActivations) {
        INFO(c.reason << ", " << name_of(t));
        const Tensor dy = t.random({c.N, c.K}, 1), w2 = t.random({c.K, c.M}, 2),
                     saved = t.random({c.N, c.M}, 3);
        const Tensor bias = t.random({c.M}, 4), dpre = t.poisoned({c.N, c.M}),
                     expected = t.poisoned({c.N, c.M});
        const Tensor dbias = t.sums(random_values(c.M, 5), {c.M}),
                     expected_bias = t.sums(random_values(c.M, 5), {c.M});
        linear_activation_backward_input(dy, w2, saved, bias, activation, {}, dpre, dbias);
        matmul(dy, Transpose::no, w2, Transpose::no, Accumulate::no, expected);
        bias_activation_backward(expected, saved, bias, activation, {}, expected, expected_bias);
        CHECK(max_relative_error(dpre, expected) < t.gradient_tolerance());
        CHECK(max_relative_error(dbias, expected_bias) < t.gradient_tolerance());
      }
    }
  }
}

TEST_CASE("Linear: a bias may begin anywhere", "[unit][device]") {
  for (const Target& t : targets()) {
    INFO(name_of(t));
    for (const LinearCase& c :
         {LinearCase{"an odd bias", 31, 33, 17}, LinearCase{"below many rows", 131, 33, 17}}) {
      const Tensor x = t.random({c.N, c.K}, 1), w = t.random({c.M, c.K}, 2);
      const Tensor bias = t.random({c.M + 1}, 3).slice_rows(1, c.M + 1), y = t.poisoned({c.N, c.M});
      linear_forward(x, w, bias, y);
      // a step of its own
      CHECK(max_relative_error(y, affine(c, x, w, bias)) < 2 * t.forward_tolerance());
      auto positive = affine(c, x, w, bias);
      for (double& z : positive) z = std::max(0.0, z);
      linear_activation_forward(x, w, bias, Activation::relu, {}, {}, y);
      CHECK(max_relative_error(y, positive) < 2 * t.forward_tolerance());
      const Tensor dw = t.sums(random_values(c.M * c.K, 4), {c.M, c.K});
      const Tensor sums = t.sums(random_values(c.M + 1, 5), {c.M + 1}), dbias = sums.slice_rows(1, c.M + 1);
      const std::vector<double> ones(static_cast<size_t>(c.N), 1.0), before = as_doubles(dbias);
      linear_backward_weight(y, x, Accumulate::yes, dw, dbias);
      CHECK(max_relative_error(dbias, matmul_reference({c.reason, c.M, 1, c.N}, as_doubles(y), true, ones,
                                                       false, before)) < tolerance(t.accumulator()));
    }
  }
}

TEST_CASE("Linear: without rows there is nothing to do, without inputs y is the bias", "[unit][device]") {
  for (const Target& t : targets()) {
    INFO(name_of(t));
    const Tensor bias = t.random({5}, 3);
    CHECK_NOTHROW(linear_forward(t.random({0, 4}, 1), t.random({5, 4}, 2), bias, t.poisoned({0, 5})));
    const Tensor dw = t.sums(random_values(20, 4), {5, 4}), dbias = t.sums(random_values(5, 5), {5});
    const auto before = as_doubles(dw);
    linear_backward_weight(t.random({0, 5}, 1), t.random({0, 4}, 2), Accumulate::yes, dw, dbias);
    CHECK(as_doubles(dw) == before);
    CHECK(as_doubles(dbias) == as_doubles(t.sums(random_values(5, 5), {5})));
    const Tensor y = t.poisoned({3, 5});
    linear_forward(t.random({3, 0}, 1), t.random({5, 0}, 2), bias, y);
    CHECK(as_doubles(y) == repeated(as_doubles(bias), 3));
  }
}

TEST_CASE("Linear: the same bits twice", "[unit][device]") {
  for (const Target& t : targets()) {
    INFO(name_of(t));
    const Tensor x = t.random({127, 40}, 1), w = t.random({24, 40}, 2), bias = t.random({24}, 3);
    const auto run = [&] {
      const Tensor a = t.poisoned({127, 24}), dw = t.sums(random_values(24 * 40, 4), {24, 40});
      const Tensor dbias = t.sums(random_values(24, 5), {24});
      linear_activation_forward(x, w, bias, Activation::relu, {}, {}, a);
      linear_backward_weight(a, x, Accumulate::yes, dw, dbias);
      return std::vector<Tensor>{a, dw, dbias};
    };
    const auto first = run(), second = run();
    for (size_t i = 0; i < first.size(); ++i) CHECK(same_bits(first[i], second[i]));
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
    linear_backward_weight(dy, x, Accumulate::yes, dw, dbias);
    CHECK(gradient_error(loss, x, dx) < 1e-6);
    CHECK(gradient_error(loss, w, dw) < 1e-6);
    CHECK(gradient_error(loss, bias, dbias) < 1e-6);
    const Tensor once = Tensor::from(dw.to_vector<double>(), dw.shape());
    linear_backward_weight(dy, x, Accumulate::yes, dw, {});
    scale(once, 2, once);
    CHECK(max_relative_error(dw, once) < tolerance(DType::f64));
  }
}

TEST_CASE("Linear: the feed-forward pair's gradient agrees with central differences", "[grad]") {
  // a = dropout(f(h W1^T + bias)), y = a W2^T
  for (const auto& c : linear_cases()) {
    for (const Activation activation : kActivations) {
      INFO(c.reason << ", " << name_of(activation));
      const Dropout dropout = test_dropout(0.2f);
      const Tensor h = random_tensor({c.N, c.K}, DType::f64, 1),
                   w1 = random_tensor({c.M, c.K}, DType::f64, 2);
      const Tensor bias = random_tensor({c.M}, DType::f64, 3), w2 = random_tensor({c.K, c.M}, DType::f64, 4);
      const Tensor dy = random_tensor({c.N, c.K}, DType::f64, 5), y = poisoned({c.N, c.K}, DType::f64);
      const Tensor a = poisoned({c.N, c.M}, DType::f64), dpre = poisoned({c.N, c.M}, DType::f64);
      const Tensor pre = keeps_input(activation) ? poisoned({c.N, c.M}, DType::f64) : Tensor();
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

TEST_CASE("Linear: twelve or more rows of whole registers do not see each other, nor the threads, to the bit",
          "[unit]") {
  const Tensor x = random_tensor({64, 128}, DType::f32, 1), w = random_tensor({300, 128}, DType::f32, 2),
               bias = random_tensor({300}, DType::f32, 3), all = poisoned({64, 300}, DType::f32);
  linear_forward(x, w, bias, all);
  for (const int64_t rows : {12, 17, 31}) {
    const Tensor y = poisoned({rows, 300}, DType::f32);
    linear_forward(x.slice_rows(7, 7 + rows), w, bias, y);
    INFO(rows);
    CHECK(same_bits(y, all.slice_rows(7, 7 + rows)));
  }
  for (const int64_t rows : {1, 2, 64}) {
    CHECK(same_bits_at_any_thread_count([&] {
      const Tensor y = poisoned({rows, 300}, DType::f32);
      linear_forward(x.slice_rows(0, rows), w, bias, y);
      return std::vector<Tensor>{y};
    }));
  }
}

TEST_CASE("Linear: relu on the way out leaves NaN as it is", "[unit]") {
  for (const int64_t rows : {1, 5, 13}) {
    const Tensor x = random_tensor({rows, 16}, DType::f32, 1), w = random_tensor({20, 16}, DType::f32, 2);
    const Tensor bias = random_tensor({20}, DType::f32, 3), a = poisoned({rows, 20}, DType::f32);
    x.data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
    linear_activation_forward(x, w, bias, Activation::relu, {}, {}, a);
    for (int64_t m = 0; m < 20; ++m) CHECK(std::isnan(a.data<float>()[m]));
    for (int64_t i = 20; i < a.numel(); ++i) CHECK(a.data<float>()[i] >= 0);
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

TEST_CASE("Linear: gelu and swish must keep the product, relu must not", "[unit]") {
  const Tensor x = random_tensor({3, 4}, DType::f32, 1), w = random_tensor({5, 4}, DType::f32, 2);
  const Tensor bias = random_tensor({5}, DType::f32, 3), a = poisoned({3, 5}, DType::f32);
  CHECK_THROWS_WITH(linear_activation_forward(x, w, bias, Activation::gelu, {}, {}, a),
                    "linear_activation: pre must be given for gelu");
  CHECK_THROWS_WITH(linear_activation_forward(x, w, bias, Activation::swish, {}, {}, a),
                    "linear_activation: pre must be given for swish");
  CHECK_THROWS_WITH(linear_activation_forward(x, w, bias, Activation::relu, {}, a, a),
                    "linear_activation: pre must not be given for relu");
}

TEST_CASE("Linear: refuses sizes and types that do not fit together", "[unit]") {
  const Tensor x = random_tensor({3, 4}, DType::f32, 1), w = random_tensor({5, 4}, DType::f32, 2);
  const Tensor bias = random_tensor({5}, DType::f32, 3), y = poisoned({3, 5}, DType::f32);
  CHECK_THROWS_AS(linear_forward(x, poisoned({5, 3}, DType::f32), bias, y), Error);
  CHECK_THROWS_AS(linear_forward(x, w, poisoned({4}, DType::f32), y), Error);
  CHECK_THROWS_AS(linear_forward(x, w, bias, poisoned({5, 3}, DType::f32)), Error);
  CHECK_THROWS_AS(linear_forward(x, w, poisoned({5}, DType::f64), y), Error);
  CHECK_THROWS_AS(linear_backward_weight(y, x, Accumulate::yes, poisoned({4, 5}, DType::f32), bias), Error);
  CHECK_THROWS_AS(linear_backward_weight(y, x, Accumulate::yes, w, poisoned({4}, DType::f32)), Error);
}
