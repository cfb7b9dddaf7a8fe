#include "kernels/residual_norm.h"

#include <catch2/catch.hpp>

#include "tests/cases/residual_norm.h"
#include "tests/support/gradcheck.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::tests;
using xf::kernels::Dropout;
using xf::kernels::residual_norm_backward;
using xf::kernels::residual_norm_forward;

namespace {

constexpr float kEps = 1e-5f;

struct Op {
  Dropout dropout;
  Tensor x, s, gamma, beta, dy, dsum, sum, y, mean, rstd, dx, ds, dgamma, dbeta;

  Op(int64_t N, int64_t D, DType dtype, float p, double middle = 0, double spread = 1)
      : dropout(test_dropout(p, 5)) {
    x = random_tensor({N, D}, dtype, 1, middle - spread, middle + spread);
    s = random_tensor({N, D}, dtype, 7, -spread, spread);
    gamma = random_tensor({D}, dtype, 2, 0.5, 1.5), beta = random_tensor({D}, dtype, 3);
    dy = random_tensor({N, D}, dtype, 4), dsum = random_tensor({N, D}, dtype, 8);
    for (Tensor* t : {&sum, &y, &dx, &ds}) *t = poisoned({N, D}, dtype);
    mean = poisoned({N}, accumulator_of(dtype)), rstd = poisoned({N}, accumulator_of(dtype));
    dgamma = Tensor::zeros({D}, dtype), dbeta = Tensor::zeros({D}, dtype);
  }
  void forward() const { residual_norm_forward(x, s, dropout, gamma, beta, kEps, sum, y, mean, rstd); }
  void backward() const {
    residual_norm_backward(dy, dsum, sum, gamma, mean, rstd, dropout, dx, ds, dgamma, dbeta);
  }
  void run() const { forward(), backward(); }
};

}  // namespace

TEST_CASE("ResidualNorm: forward and backward match the definition, with and without dropout", "[unit]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const float p : {0.0f, 0.1f, 0.5f}) {
      for (const LayerNormCase& c : layer_norm_cases()) {
        if (c.mean != 0) continue;  // cancellation and constant rows are layer_norm's own cases
        const Op op(c.N, c.D, dtype, p, 0, c.spread);
        op.run();
        const auto expected = residual_norm_reference(as_doubles(op.x), as_doubles(op.s), op.dropout,
                                                      as_doubles(op.gamma), as_doubles(op.beta),
                                                      as_doubles(op.dy), as_doubles(op.dsum), c.N, c.D, kEps);
        INFO(c.why << ", p " << p << ", " << name_of(dtype));
        CHECK(max_relative_error(op.sum, expected.sum) < tolerance(dtype));
        CHECK(max_relative_error(op.y, expected.norm.y) < tolerance(dtype));
        CHECK(max_relative_error(op.mean, expected.norm.mean, 1.0) < tolerance(dtype));
        CHECK(max_relative_error(op.rstd, expected.norm.rstd) < tolerance(dtype));
        CHECK(max_relative_error(op.dx, expected.norm.dx, expected.norm.dx_terms()) < tolerance(dtype));
        CHECK(max_relative_error(op.ds, expected.ds, expected.norm.dx_terms()) < tolerance(dtype));
        CHECK(max_relative_error(op.dgamma, expected.norm.dgamma, 1.0) < tolerance(dtype));
        CHECK(max_relative_error(op.dbeta, expected.norm.dbeta, 1.0) < tolerance(dtype));
      }
    }
  }
}

TEST_CASE("ResidualNorm: gradients match central differences, also of the sum that pre-norm carries on",
          "[grad]") {
  for (const float p : {0.0f, 0.3f}) {
    for (const auto& [N, D] :
         {std::pair<int64_t, int64_t>{1, 2}, {3, 5}, {31, 7}, {2, 33}, {1, 127}, {2, 129}}) {
      const Op op(N, D, DType::f64, p);
      op.run();
      const Op moved = op;
      const auto loss = [&] {
        moved.forward();
        return weighted_sum(moved.y, op.dy) + weighted_sum(moved.sum, op.dsum);
      };
      INFO("N " << N << ", D " << D << ", p " << p);
      CHECK(gradient_error(loss, op.x, op.dx) < 1e-6);
      CHECK(gradient_error(loss, op.s, op.ds) < 1e-6);
      CHECK(gradient_error(loss, op.gamma, op.dgamma) < 1e-6);
      CHECK(gradient_error(loss, op.beta, op.dbeta) < 1e-6);
    }
  }
}

TEST_CASE("ResidualNorm: without dropout and dsum it is the layer norm of x + s, to the bit", "[unit]") {
  const Op op(5, 33, DType::f32, 0);
  op.forward();
  const Tensor y = poisoned({5, 33}, DType::f32), mean = poisoned({5}, DType::f32),
               rstd = poisoned({5}, DType::f32);
  kernels::layer_norm_forward(op.sum, op.gamma, op.beta, kEps, y, mean, rstd);
  CHECK(same_bits(y, op.y));
  const Op plain(5, 33, DType::f32, 0);
  kernels::layer_norm_backward(op.dy, op.sum, op.gamma, mean, rstd, plain.dx, plain.dgamma, plain.dbeta);
  residual_norm_backward(op.dy, {}, op.sum, op.gamma, op.mean, op.rstd, op.dropout, op.dx, op.ds, op.dgamma,
                         op.dbeta);
  CHECK(same_bits(op.dx, plain.dx));
  CHECK(same_bits(op.ds, plain.dx));
  CHECK(same_bits(op.dgamma, plain.dgamma));
}

TEST_CASE("ResidualNorm: the allowed aliases change no bit", "[unit]") {
  const Op op(5, 33, DType::f32, 0.3f);
  op.run();
  Op aliased(5, 33, DType::f32, 0.3f);
  aliased.sum = aliased.s;
  aliased.forward();
  CHECK(same_bits(aliased.y, op.y));
  SECTION("dx is dy") { aliased.dx = aliased.dy; }
  SECTION("dx is dsum") { aliased.dx = aliased.dsum; }
  aliased.backward();
  CHECK(same_bits(aliased.dx, op.dx));
  CHECK(same_bits(aliased.ds, op.ds));
}

TEST_CASE("ResidualNorm: a batch and its two halves drop the same elements", "[unit]") {
  const Op whole(10, 70, DType::f32, 0.4f);
  whole.forward();
  Op second(10, 70, DType::f32, 0.4f);
  second.dropout = test_dropout(0.4f, 5 + 4);
  second.x = second.x.slice_rows(4, 10), second.s = second.s.slice_rows(4, 10);
  second.sum = second.sum.slice_rows(4, 10), second.y = second.y.slice_rows(4, 10);
  second.mean = second.mean.slice_rows(4, 10), second.rstd = second.rstd.slice_rows(4, 10);
  second.forward();
  CHECK(same_bits(second.sum, whole.sum.slice_rows(4, 10)));
  CHECK(same_bits(second.y, whole.y.slice_rows(4, 10)));
}

TEST_CASE("ResidualNorm: same bits at any number of threads, and twice", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Op op(301, 130, DType::f32, 0.1f);
    op.run();
    return std::vector<Tensor>{op.sum, op.y, op.mean, op.rstd, op.dx, op.ds, op.dgamma, op.dbeta};
  }));
}

TEST_CASE("ResidualNorm: rejects wrong shapes by name, and ds over dx under dropout", "[unit]") {
  const Op op(2, 4, DType::f32, 0.5f);
  const Tensor three = Tensor::zeros({3}, DType::f32), wide = Tensor::zeros({2, 8}, DType::f32);
  CHECK_THROWS_WITH(
      residual_norm_forward(op.x, wide, op.dropout, op.gamma, op.beta, kEps, op.sum, op.y, op.mean, op.rstd),
      "residual_norm: s must be [2, 4], got [2, 8]");
  CHECK_THROWS_WITH(
      residual_norm_forward(op.x, op.s, op.dropout, op.gamma, three, kEps, op.sum, op.y, op.mean, op.rstd),
      "residual_norm: beta must be [4], got [3]");
  CHECK_THROWS_WITH(residual_norm_backward(op.dy, wide, op.sum, op.gamma, op.mean, op.rstd, op.dropout, op.dx,
                                           op.ds, op.dgamma, op.dbeta),
                    "residual_norm_backward: dsum must be [2, 4], got [2, 8]");
  CHECK_THROWS_WITH(residual_norm_backward(op.dy, op.dsum, op.sum, op.gamma, op.mean, op.rstd, op.dropout,
                                           op.dx, op.dx, op.dgamma, op.dbeta),
                    "residual_norm_backward: ds must not be dx when p > 0");
}
