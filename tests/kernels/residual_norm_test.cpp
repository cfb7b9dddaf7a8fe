#include "kernels/residual_norm.h"

#include "tests/cases/residual_norm.h"
#include "tests/support/catch.h"
#include "tests/support/gradcheck.h"
#include "tests/support/odd_view.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::tests;
using xf::kernels::Dropout;
using xf::kernels::residual_norm_backward;
using xf::kernels::residual_norm_forward;

namespace {

constexpr float kEps = 1e-5f;

const Target kCpu32{Device::cpu(), DType::f32}, kCpu64{Device::cpu(), DType::f64};

struct Op {
  Dropout dropout;
  Tensor x, s, gamma, beta, dy, dsum, sum, y, mean, rstd, dx, ds, dgamma, dbeta;

  Op(int64_t N, int64_t D, const Target& t, float p, int32_t first_row = 5)
      : dropout(dropout_on(t.device, test_dropout(p, first_row))) {
    x = t.random({N, D}, 1), s = t.random({N, D}, 7);
    gamma = t.random({D}, 2, 0.5, 1.5), beta = t.random({D}, 3);
    dy = t.random({N, D}, 4), dsum = t.random({N, D}, 8);
    for (Tensor* out : {&sum, &y, &dx, &ds}) *out = t.poisoned({N, D});
    mean = t.poisoned_sums({N}), rstd = t.poisoned_sums({N});
    const std::vector<double> zero(static_cast<size_t>(D), 0.0);
    dgamma = t.sums(zero, {D}), dbeta = t.sums(zero, {D});
  }
  void forward() const { residual_norm_forward(x, s, dropout, gamma, beta, kEps, sum, y, mean, rstd); }
  void backward() const {
    residual_norm_backward(dy, dsum, sum, gamma, mean, rstd, dropout, dx, ds, dgamma, dbeta);
  }
  void run() const { forward(), backward(); }
  std::vector<Tensor> results() const { return {sum, y, mean, rstd, dx, ds, dgamma, dbeta}; }
};

}  // namespace

// RN0, RN1, RN2
TEST_CASE("ResidualNorm: forward and backward match the definition, with and without dropout",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const float p : {0.0f, 0.1f, 0.5f}) {
      for (const LayerNormCase& c : layer_norm_cases()) {
        if (c.mean != 0) continue;  // cancellation and constant rows are layer_norm's own cases
        if (c.N * c.D > 10000 && p != 0.1f) continue;  // once is enough, for they take long
        const Op op(c.N, c.D, t, p);
        op.run();
        const Dropout dropout = test_dropout(p, 5);
        const bool summed = p != 0.5f;  // without dsum in a third of the runs
        if (!summed) {
          const Tensor zero = t.sums(std::vector<double>(static_cast<size_t>(c.D), 0.0), {c.D});
          op.dgamma.copy_from(zero), op.dbeta.copy_from(zero);
          residual_norm_backward(op.dy, {}, op.sum, op.gamma, op.mean, op.rstd, op.dropout, op.dx, op.ds,
                                 op.dgamma, op.dbeta);
        }
        const auto expected = residual_norm_reference(
            as_doubles(op.sum), dropout, as_doubles(op.gamma), as_doubles(op.beta), as_doubles(op.dy),
            summed ? as_doubles(op.dsum) : std::vector<double>(), c.N, c.D, kEps);
        const double terms = expected.norm.dx_terms(), sums = tolerance(t.accumulator());
        INFO(c.why << ", p " << p << ", " << name_of(t));
        CHECK(max_relative_error(op.sum, residual_sum_reference(as_doubles(op.x), as_doubles(op.s), dropout,
                                                                c.D)) < t.forward_tolerance());
        CHECK(max_relative_error(op.y, expected.norm.y) < t.forward_tolerance());
        CHECK(max_relative_error(op.mean, expected.norm.mean, 1.0) < sums);
        CHECK(max_relative_error(op.rstd, expected.norm.rstd) < sums);
        CHECK(max_relative_error(op.dx, expected.norm.dx, terms) < t.gradient_tolerance());
        CHECK(max_relative_error(op.ds, expected.ds, terms) < t.gradient_tolerance());
        CHECK(max_relative_error(op.dgamma, expected.norm.dgamma, 1.0) < sums);
        CHECK(max_relative_error(op.dbeta, expected.norm.dbeta, 1.0) < sums);
      }
    }
  }
}

TEST_CASE("ResidualNorm: gradients match central differences, also of the sum that pre-norm carries on",
          "[grad]") {
  for (const float p : {0.0f, 0.3f}) {
    for (const auto& [N, D] :
         {std::pair<int64_t, int64_t>{1, 2}, {3, 5}, {31, 7}, {2, 33}, {1, 127}, {2, 129}}) {
      const Op op(N, D, kCpu64, p);
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

TEST_CASE("ResidualNorm: the parameters' gradients are added to what is there", "[unit][device]") {
  for (const Target& t : targets()) {
    const Op op(5, 33, t, 0.3f);
    op.run();
    std::vector<double> twice_dgamma = as_doubles(op.dgamma), twice_dbeta = as_doubles(op.dbeta);
    for (std::vector<double>* sums : {&twice_dgamma, &twice_dbeta}) {
      for (double& sum : *sums) sum *= 2;
    }
    op.backward();
    INFO(name_of(t));
    CHECK(as_doubles(op.dgamma) == twice_dgamma);  // to the bit: a + a rounds nothing
    CHECK(as_doubles(op.dbeta) == twice_dbeta);
  }
}

TEST_CASE("ResidualNorm: without dropout and dsum it is the layer norm of x + s, to the bit",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t D : {33, 1025}) {
      INFO(name_of(t) << ", D " << D);
      const Op op(5, D, t, 0), plain(5, D, t, 0);
      op.forward();
      kernels::layer_norm_forward(op.sum, op.gamma, op.beta, kEps, plain.y, plain.mean, plain.rstd);
      CHECK(same_bits(plain.y, op.y));
      kernels::layer_norm_backward(op.dy, op.sum, op.gamma, plain.mean, plain.rstd, plain.dx, plain.dgamma,
                                   plain.dbeta);
      residual_norm_backward(op.dy, {}, op.sum, op.gamma, op.mean, op.rstd, op.dropout, op.dx, op.ds,
                             op.dgamma, op.dbeta);
      CHECK(same_bits(op.dx, plain.dx));
      CHECK(same_bits(op.ds, plain.dx));
      CHECK(same_bits(op.dgamma, plain.dgamma));
    }
  }
}

TEST_CASE("ResidualNorm: the allowed aliases change no bit", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t D : {33, 1025}) {
      for (const bool over_dy : {true, false}) {
        INFO(name_of(t) << ", D " << D << (over_dy ? ", dx is dy" : ", dx is dsum"));
        const Op op(18, D, t, 0.3f);
        op.run();
        Op aliased(18, D, t, 0.3f);
        aliased.sum = aliased.s;
        aliased.forward();
        CHECK(same_bits(aliased.y, op.y));
        aliased.dx = over_dy ? aliased.dy : aliased.dsum;
        aliased.backward();
        CHECK(same_bits(aliased.dx, op.dx));
        CHECK(same_bits(aliased.ds, op.ds));
        CHECK(same_bits(aliased.dgamma, op.dgamma));
        const Op kept(18, D, t, 0);
        kept.run();
        Op one(18, D, t, 0);
        one.ds = one.dx;
        one.run();
        CHECK(same_bits(one.dx, kept.ds));
      }
    }
  }
}

TEST_CASE("ResidualNorm: a batch and its two halves drop the same elements", "[unit][device]") {
  for (const Target& t : targets()) {
    INFO(name_of(t));
    const Op whole(10, 70, t, 0.4f);
    whole.forward();
    Op second(10, 70, t, 0.4f, 5 + 4);
    for (Tensor* half : {&second.x, &second.s, &second.sum, &second.y, &second.mean, &second.rstd}) {
      *half = half->slice_rows(4, 10);
    }
    second.forward();
    CHECK(same_bits(second.sum, whole.sum.slice_rows(4, 10)));
    CHECK(same_bits(second.y, whole.y.slice_rows(4, 10)));
  }
}

TEST_CASE("ResidualNorm: same bits twice, and wherever the rows lie in memory", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const auto& [N, D] : {std::pair<int64_t, int64_t>{70, 512}, {19, 1032}}) {
      INFO(name_of(t) << ", D " << D);
      const Op first(N, D, t, 0.1f), second(N, D, t, 0.1f);
      Op odd(N, D, t, 0.1f);
      for (Tensor* x :
           {&odd.x, &odd.s, &odd.gamma, &odd.beta, &odd.dy, &odd.dsum, &odd.sum, &odd.y, &odd.dx, &odd.ds}) {
        *x = odd_view(*x);
      }
      first.run(), second.run(), odd.run();
      for (size_t i = 0; i < first.results().size(); ++i) {
        CHECK(same_bits(second.results()[i], first.results()[i]));
        CHECK(same_bits(odd.results()[i], first.results()[i]));
      }
    }
  }
}

TEST_CASE("ResidualNorm: same bits at any number of threads, and twice", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Op op(301, 130, kCpu32, 0.1f);
    op.run();
    return op.results();
  }));
}

TEST_CASE("ResidualNorm: rejects ds over dx under dropout", "[unit]") {
  const Op op(2, 4, kCpu32, 0.5f);
  CHECK_THROWS_WITH(residual_norm_backward(op.dy, op.dsum, op.sum, op.gamma, op.mean, op.rstd, op.dropout,
                                           op.dx, op.dx, op.dgamma, op.dbeta),
                    "residual_norm_backward: ds must not be dx when p > 0");
}
