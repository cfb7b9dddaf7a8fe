#include "kernels/cross_entropy.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/cases/cross_entropy.h"
#include "tests/support/gradcheck.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::tests;
using xf::kernels::cross_entropy;
using xf::kernels::CrossEntropy;
using xf::kernels::kLossChunk;
using xf::kernels::projection_cross_entropy;

namespace {

struct Op {
  CrossEntropy options;
  Tensor z, targets, loss, dz;

  Op(const CrossEntropyCase& c, DType dtype) : options{.label_smoothing = static_cast<float>(c.smoothing)} {
    z = random_tensor({c.N, c.V}, dtype, 1, -c.spread, c.spread);
    targets = Tensor::from(cross_entropy_targets(c.N, c.V));
    loss = Tensor::zeros({2}, accumulator_of(dtype));
    dz = poisoned({c.N, c.V}, dtype);
  }
  void run() const { cross_entropy(z, targets, options, loss, dz); }
  CrossEntropyReference reference() const {
    return cross_entropy_reference(as_doubles(z), targets.to_vector<int32_t>(), options.label_smoothing,
                                   z.width());
  }
};

// Output projection: x [N, D] against w [V, D]; parameter gradients start at 0.
struct Projection {
  CrossEntropy options{.label_smoothing = 0.1f};
  Tensor x, w, bias, targets, logits, loss;
  kernels::ProjectionGradients gradients;

  Projection(int64_t N, int64_t D, int64_t V, DType dtype) {
    x = random_tensor({N, D}, dtype, 1), w = random_tensor({V, D}, dtype, 2),
    bias = random_tensor({V}, dtype, 3);
    targets = Tensor::from(cross_entropy_targets(N, V));
    logits = poisoned({std::min(N, kLossChunk), V}, dtype);
    loss = Tensor::zeros({2}, accumulator_of(dtype));
    gradients = {poisoned({N, D}, dtype), Tensor::zeros({V, D}, dtype), Tensor::zeros({V}, dtype)};
  }
  void run() const { projection_cross_entropy(x, w, bias, targets, options, logits, loss, gradients); }
  double smoothed_loss() const {
    loss.fill_zero();
    projection_cross_entropy(x, w, bias, targets, options, logits, loss, {});
    return as_doubles(loss)[0];
  }
};

// The same from its definition: all logits at once.
struct ProjectionReference {
  CrossEntropyReference ce;
  std::vector<double> dx, dw, dbias;

  explicit ProjectionReference(const Projection& op) {
    const auto x = as_doubles(op.x), w = as_doubles(op.w);
    auto bias =
        op.bias.defined() ? as_doubles(op.bias) : std::vector<double>(static_cast<size_t>(op.w.rows()));
    const auto N = static_cast<size_t>(op.x.rows()), D = static_cast<size_t>(op.x.width()), V = bias.size();
    std::vector<double> z(N * V);
    for (size_t n = 0; n < N; ++n) {
      for (size_t v = 0; v < V; ++v) {
        z[n * V + v] = bias[v];
        for (size_t i = 0; i < D; ++i) z[n * V + v] += x[n * D + i] * w[v * D + i];
      }
    }
    ce = cross_entropy_reference(z, op.targets.to_vector<int32_t>(), op.options.label_smoothing, op.w.rows());
    dx.resize(N * D), dw.resize(V * D), dbias.resize(V);
    for (size_t n = 0; n < N; ++n) {
      for (size_t v = 0; v < V; ++v) {
        dbias[v] += ce.dz[n * V + v];
        for (size_t i = 0; i < D; ++i) {
          dx[n * D + i] += ce.dz[n * V + v] * w[v * D + i];
          dw[v * D + i] += ce.dz[n * V + v] * x[n * D + i];
        }
      }
    }
  }
};

}  // namespace

TEST_CASE("CrossEntropy: losses and gradient match the definition", "[unit]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const CrossEntropyCase& c : cross_entropy_cases()) {
      const Op op(c, dtype);
      op.run();
      const auto expected = op.reference();
      INFO(c.why << ", " << name_of(dtype));
      CHECK(max_relative_error(op.loss, {expected.loss, expected.unsmoothed}, 1.0) < tolerance(dtype));
      // z - lse loses |z| * 2^-24 in f32: 300 * 6e-8
      const double limit = dtype == DType::f32 && c.spread > 100 ? 1e-4 : tolerance(dtype);
      CHECK(max_relative_error(op.dz, expected.dz, 1e-3) < limit);
    }
  }
}

TEST_CASE("CrossEntropy: the gradient matches central differences", "[grad]") {
  for (const CrossEntropyCase& c : {CrossEntropyCase{"", 1, 2, 0, 1},
                                    {"", 3, 31, 0.1, 2},
                                    {"", 7, 33, 0.2, 2},
                                    {"", 5, 127, 0, 2},
                                    {"", 2, 129, 0.1, 2}}) {
    const Op op(c, DType::f64);
    op.run();
    const auto loss = [&] {
      op.loss.fill_zero();
      cross_entropy(op.z, op.targets, op.options, op.loss, {});
      return as_doubles(op.loss)[0];
    };
    INFO("N " << c.N << ", V " << c.V);
    CHECK(gradient_error(loss, op.z, op.dz) < 1e-6);
  }
}

TEST_CASE("CrossEntropy: equal logits cost log V, each row of dz sums to 0", "[unit]") {
  const Op op({"", 4, 7853, 0.1, 0}, DType::f64);  // spread 0: all logits are 0
  op.run();
  CHECK(as_doubles(op.loss)[1] == Approx(4 * 8.968651).epsilon(1e-7));  // ln 7853
  CHECK(as_doubles(op.loss)[0] == Approx(as_doubles(op.loss)[1]).epsilon(1e-12));
  const Op random({"", 4, 1000, 0.1, 3}, DType::f64);
  random.run();
  for (int64_t n = 0; n < 4; ++n) {
    double sum = 0;
    for (const double value : random.dz.slice_rows(n, n + 1).to_vector<double>()) sum += value;
    CHECK(std::abs(sum) < 1e-13);
  }
}

TEST_CASE("CrossEntropy: ignored rows count nothing, and a batch of them is zero, not NaN", "[unit]") {
  const Op op({"", 3, 5, 0.1, 1}, DType::f32);
  const Tensor padding = Tensor::from(std::vector<int32_t>{0, 0, 0});
  cross_entropy(op.z, padding, {.label_smoothing = 0.1f, .ignore_id = 0}, op.loss, op.dz);
  CHECK(op.loss.to_vector<float>() == std::vector<float>{0, 0});
  CHECK(op.dz.to_vector<float>() == std::vector<float>(15, 0.0f));
}

TEST_CASE("CrossEntropy: losses accumulate, dz may be z, and the loss alone is the same number", "[unit]") {
  const Op op({"", 7, 129, 0.1, 3}, DType::f32), again({"", 7, 129, 0.1, 3}, DType::f32);
  op.run();
  cross_entropy(again.z, again.targets, again.options, again.loss, {});
  CHECK(same_bits(again.loss, op.loss));
  cross_entropy(again.z, again.targets, again.options, again.loss, again.z);
  CHECK(same_bits(again.z, op.dz));
  CHECK(as_doubles(again.loss)[0] == 2 * as_doubles(op.loss)[0]);
}

TEST_CASE("CrossEntropy: a NaN logit reaches the loss", "[unit]") {
  const Op op({"", 1, 40, 0, 1}, DType::f32);
  op.z.data<float>()[7] = std::nanf("");
  op.run();
  CHECK(std::isnan(op.loss.to_vector<float>()[0]));
}

TEST_CASE("CrossEntropy: same bits at any number of threads, and twice", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Op op({"several threads", 300, 131, 0.1, 2}, DType::f32);
    op.run();
    return std::vector<Tensor>{op.loss, op.dz};
  }));
}

TEST_CASE("CrossEntropy: rejects wrong shapes, targets and smoothing by name", "[unit]") {
  const Op op({"", 3, 5, 0.1, 1}, DType::f32);
  const Tensor two = Tensor::from(std::vector<int32_t>{1, 2}),
               large = Tensor::from(std::vector<int32_t>{1, 5, 2});
  CHECK_THROWS_WITH(cross_entropy(op.z, two, op.options, op.loss, op.dz),
                    "cross_entropy: targets must be [3], got [2]");
  CHECK_THROWS_WITH(cross_entropy(op.z, large, op.options, op.loss, op.dz),
                    "cross_entropy: target 5 of row 1 is outside of the 5 logits");
  CHECK_THROWS_WITH(cross_entropy(op.z, op.targets, {.label_smoothing = 1}, op.loss, op.dz),
                    "cross_entropy: label smoothing must be in [0, 1), got 1");
  CHECK_THROWS_WITH(cross_entropy(op.z, op.targets, op.options, op.loss, Tensor::zeros({3, 4}, DType::f32)),
                    "cross_entropy: dz must be [3, 5], got [3, 4]");
  CHECK_THROWS_WITH(cross_entropy(op.z, op.targets, op.options, Tensor::zeros({2}, DType::f64), op.dz),
                    "cross_entropy: loss must be f32, got f64");
}

TEST_CASE("ProjectionCrossEntropy: chunks give the losses and gradients of the whole", "[unit]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    // one row; a part of a chunk; a chunk and a row; three chunks, the last one short
    for (const int64_t N : {int64_t{1}, int64_t{31}, kLossChunk + 1, 2 * kLossChunk + 33}) {
      for (const bool with_bias : {true, false}) {
        Projection op(N, 7, 33, dtype);
        if (!with_bias) op.bias = {}, op.gradients.dbias = {};
        op.run();
        const ProjectionReference expected(op);
        INFO("N " << N << ", bias " << with_bias << ", " << name_of(dtype));
        CHECK(max_relative_error(op.loss, {expected.ce.loss, expected.ce.unsmoothed}) < tolerance(dtype));
        CHECK(max_relative_error(op.gradients.dx, expected.dx) < tolerance(dtype));
        CHECK(max_relative_error(op.gradients.dw, expected.dw) < tolerance(dtype));
        if (with_bias) CHECK(max_relative_error(op.gradients.dbias, expected.dbias) < tolerance(dtype));
      }
    }
  }
}

TEST_CASE("ProjectionCrossEntropy: gradients match central differences", "[grad]") {
  for (const int64_t N : {int64_t{1}, int64_t{3}, int64_t{31}}) {
    const Projection op(N, 5, 33, DType::f64);
    op.run();
    const auto loss = [&] { return op.smoothed_loss(); };
    INFO("N " << N);
    CHECK(gradient_error(loss, op.x, op.gradients.dx) < 1e-6);
    CHECK(gradient_error(loss, op.w, op.gradients.dw) < 1e-6);
    CHECK(gradient_error(loss, op.bias, op.gradients.dbias) < 1e-6);
  }
}

TEST_CASE("ProjectionCrossEntropy: rejects wrong shapes by name", "[unit]") {
  const Projection op(3, 4, 5, DType::f32);
  CHECK_THROWS_WITH(projection_cross_entropy(op.x, op.w, op.bias, op.targets, op.options,
                                             Tensor::zeros({512, 5}, DType::f32), op.loss, op.gradients),
                    "projection_cross_entropy: logits must be [3, 5], got [512, 5]");
  CHECK_THROWS_WITH(projection_cross_entropy(op.x, op.w, Tensor::zeros({4}, DType::f32), op.targets,
                                             op.options, op.logits, op.loss, op.gradients),
                    "projection_cross_entropy: bias must be [5], got [4]");
}
