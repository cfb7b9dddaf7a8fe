// Expectations: the plain kernel in f64 (tests/cases/muon.h), what the polynomial does to singular
// values that are known, and a calculation by hand.
#include "kernels/muon.h"

#include <limits>
#include <utility>

#include "kernels/adam.h"
#include "tests/cases/muon.h"
#include "tests/support/catch.h"
#include "tests/support/masters.h"
#include "tests/support/odd_view.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::tests;
using xf::kernels::MuonOptions;

namespace {

const Target kF32{Device::cpu(), DType::f32}, kF64{Device::cpu(), DType::f64};
constexpr float kRate = 0.25f;

// Five iterations multiply an error in the direction of a small singular value by up to a^5 = 485.
double muon_tolerance(DType dtype) { return 500 * tolerance(dtype); }

struct Op {
  MuonCase c;
  MuonOptions options;
  Tensor p, m, g, norm_squared, rounded, workspace;

  // at_a_time: matrices that the workspace has room for.
  Op(const MuonCase& of, const Target& t, const MuonOptions& muon_options = {}, int64_t at_a_time = 2)
      : c(of), options(muon_options) {
    const int64_t P = c.parameters();
    p = t.random({P}, 1), m = Tensor::zeros({P}, t.dtype, t.device),
    g = Tensor::zeros({P}, t.dtype, t.device);
    norm_squared = poisoned({1}, DType::f64, t.device);
    rounded = Tensor::zeros({P}, DType::bf16, t.device);
    workspace = poisoned({at_a_time * kernels::muon_workspace(c.rows, c.columns)}, t.dtype, t.device);
  }
  kernels::MatrixPlaces places() const {
    return {Tensor::from(c.begins()).to(p.device()), c.rows, c.columns};
  }
  void update(const std::vector<double>& gradient, float learning_rate, float tokens, float clip_norm) const {
    g.copy_from(tensor_of(gradient, g.shape(), g.dtype()));
    const Tensor step = Tensor::from(std::vector<float>{learning_rate, 0, 0, 1 / tokens});
    kernels::sum_of_squares(g, norm_squared);
    kernels::muon(options, step.to(g.device()), clip_norm, norm_squared, places(), p, m, g, rounded,
                  workspace);
  }
  bool is_of_matrix(int64_t i) const {
    for (const int32_t begin : c.begins()) {
      if (i >= begin && i < begin + c.size()) return true;
    }
    return false;
  }
};

// The polynomial, five times.
double orthogonalised(double s) {
  constexpr kernels::MuonPolynomial f;
  for (int i = 0; i < kernels::kMuonIterations; ++i) s = f.a * s + f.b * s * s * s + f.c * s * s * s * s * s;
  return s;
}

// Q_ij of a reflection I - 2 v v^T / |v|^2, an orthogonal matrix.
std::vector<double> reflection(int64_t n, uint64_t seed) {
  const auto v = random_values(n, seed);
  double squares = 0;
  for (const double x : v) squares += x * x;
  std::vector<double> q;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j)
      q.push_back((i == j ? 1.0 : 0.0) - 2 * v[static_cast<size_t>(i)] * v[static_cast<size_t>(j)] / squares);
  }
  return q;
}

// U diag(s) V^T for orthogonal U [rows, rows] and V [columns, columns].
std::vector<double> with_singular_values(int64_t rows, int64_t columns, const std::vector<double>& s) {
  const auto u = reflection(rows, 21), v = reflection(columns, 22);
  std::vector<double> x(static_cast<size_t>(rows * columns), 0.0);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      for (size_t k = 0; k < s.size(); ++k) {
        x[static_cast<size_t>(r * columns + c)] +=
            u[static_cast<size_t>(r * rows) + k] * s[k] * v[static_cast<size_t>(c * columns) + k];
      }
    }
  }
  return x;
}

}  // namespace

// MU1, MU2, MU3, MU4, MU5
TEST_CASE("Muon: five updates match the equations, with decay and clipping", "[unit][device]") {
  for (const Target& target : master_targets()) {
    for (const MuonCase& c : muon_cases()) {
      for (const MuonOptions& options : {MuonOptions{}, {.momentum = 0.5f, .weight_decay = 0.5f}}) {
        for (const float clip_norm : {0.0f, 0.5f, 1e6f}) {
          const Op op(c, target, options);
          const auto before = as_doubles(op.p);
          MuonState expected{before, as_doubles(op.m)};
          std::vector<double> gradient;
          for (uint64_t t = 1; t <= 5; ++t) {
            // Larger every time, so that the mean over updates sees what is clipped.
            gradient = random_values(c.parameters(), 10 + t, -64 * static_cast<double>(t),
                                     64 * static_cast<double>(t));
            op.update(gradient, kRate, 64, clip_norm);
            muon_reference(c, options, double{kRate}, 64, double{clip_norm}, gradient, expected);
          }
          INFO(c.why << ", " << name_of(target) << ", momentum " << options.momentum << ", clip "
                     << clip_norm);
          CHECK(max_relative_error(op.p, expected.p) < muon_tolerance(target.dtype));
          CHECK(max_relative_error(op.m, expected.m) < tolerance(target.dtype));
          const auto p = as_doubles(op.p), m = as_doubles(op.m), g = as_doubles(op.g),
                     copy = as_doubles(op.rounded), rounded = rounded_to_bf16(op.p);
          const auto given = as_doubles(tensor_of(gradient, op.g.shape(), op.g.dtype()));
          bool right = true;
          for (size_t i = 0; i < p.size(); ++i) {
            right = right && (op.is_of_matrix(static_cast<int64_t>(i))
                                  ? g[i] == 0 && copy[i] == rounded[i]
                                  : g[i] == given[i] && copy[i] == 0 && p[i] == before[i] && m[i] == 0);
          }
          CHECK(right);
        }
      }
    }
  }
}

// MU4
TEST_CASE("Muon: an update has the gradient's singular vectors, and the polynomial of its singular values",
          "[golden][device]") {
  for (const Target& target : master_targets()) {
    for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{6, 6}, {4, 9}, {9, 4}}) {
      const std::vector<double> s = {2, 1, 0.125, 0.015625};
      const MuonCase c{"", 1, rows, columns, 0};
      const Op op(c, target, {.momentum = 0});
      op.p.fill_zero();
      op.update(with_singular_values(rows, columns, s), kRate, 1, 0);
      double norm = 0;
      for (const double x : s) norm += x * x;
      std::vector<double> expected_values;
      for (const double x : s)
        expected_values.push_back(-double{kRate} * kernels::kMuonRms *
                                  std::sqrt(static_cast<double>(std::max(rows, columns))) *
                                  orthogonalised(x / std::sqrt(norm)));
      INFO(rows << " x " << columns << ", " << name_of(target));
      CHECK(max_relative_error(op.p, with_singular_values(rows, columns, expected_values)) <
            muon_tolerance(target.dtype));
    }
  }
}

TEST_CASE("Muon: the polynomial brings singular values between 0.002 and 1 near to 1", "[unit]") {
  for (double s = 0.002; s <= 1; s *= 1.001) {
    CHECK(orthogonalised(s) > 0.68);
    CHECK(orthogonalised(s) < 1.21);
  }
  CHECK(orthogonalised(1e-6) == Approx(1e-6 * std::pow(3.4445, 5)).epsilon(1e-6));
}

TEST_CASE("Muon: two updates of one element, calculated by hand", "[golden][device]") {
  // A matrix of one element becomes its sign, of which five iterations leave f; so p moves by rate
  // 0.2 f whatever the gradient is. Momentum 1/2: m = 4, u = 1/2 4 + 4 = 6 by a mean gradient of 8;
  // then -16: m = 2 - 8 = -6.
  const double f = orthogonalised(1);
  for (const Target& target : master_targets()) {
    const Op op({"", 1, 1, 1, 0}, target, {.momentum = 0.5f, .weight_decay = 0.5f}, 1);
    op.p.copy_from(target.tensor({8}, {1}));
    op.update({16}, 0.5f, 2, 0);
    CHECK(as_doubles(op.m)[0] == 4);
    CHECK(as_doubles(op.p)[0] == Approx(8 - 0.5 * (0.2 * f + 0.5 * 8)).epsilon(1e-6));
    op.update({-32}, 0.5f, 2, 0);
    CHECK(as_doubles(op.m)[0] == -6);
    CHECK(as_doubles(op.p)[0] == Approx(0.75 * (6 - 0.1 * f) + 0.1 * f).epsilon(1e-6));
  }
}

// Whose squares no float holds.
TEST_CASE("Muon: the length of a gradient does not matter, be it ever so small or large", "[unit][device]") {
  const MuonCase c{"", 2, 31, 40, 1};
  for (const Target& target : master_targets()) {
    const auto gradient = random_values(c.parameters(), 5);
    const auto moved_by = [&](double length) {
      const Op op(c, target, {});
      std::vector<double> scaled = gradient;
      for (double& g : scaled) g *= length;
      op.update(scaled, 0.5f, 1, 0);
      return as_doubles(op.p);
    };
    const std::vector<double> expected = moved_by(1);
    for (const double length : {0x1p-80, 0x1p66}) {
      INFO(name_of(target) << ", length " << length);
      CHECK(max_relative_error(tensor_of(moved_by(length), {c.parameters()}, DType::f64), expected) <
            muon_tolerance(target.dtype));
    }
  }
}

TEST_CASE("Muon: a gradient of zeros moves nothing but by decay", "[unit][device]") {
  for (const Target& target : master_targets()) {
    const Op op({"", 2, 3, 4, 1}, target, {.weight_decay = 0.5f});
    auto expected = as_doubles(op.p);
    for (size_t i = 0; i < expected.size(); ++i) {
      if (op.is_of_matrix(static_cast<int64_t>(i))) expected[i] *= 0.75;
    }
    op.update(std::vector<double>(static_cast<size_t>(op.p.numel()), 0.0), 0.5f, 1, 0);
    CHECK(max_relative_error(op.p, expected) < tolerance(target.dtype));
  }
}

TEST_CASE("Muon: arrays that begin anywhere, and as many matrices at a time as there is room for",
          "[unit][device]") {
  for (const Target& target : master_targets()) {
    const MuonCase c{"", 5, 17, 33, 3};
    const Op op(c, target), one(c, target, {}, 1), all(c, target, {}, 5);
    Op unaligned(c, target);
    for (Tensor* tensor :
         {&unaligned.p, &unaligned.m, &unaligned.g, &unaligned.rounded, &unaligned.workspace})
      *tensor = odd_view(*tensor);
    const auto gradient = random_values(c.parameters(), 11);
    for (const Op* each : {&op, &one, &all, &std::as_const(unaligned)}) each->update(gradient, 0.5f, 1, 1);
    for (const Op* each : {&one, &all, &std::as_const(unaligned)})
      CHECK(max_relative_error(each->p, as_doubles(op.p)) < muon_tolerance(target.dtype));
  }
}

TEST_CASE("Muon: a NaN or infinite gradient changes nothing but the gradient, which is zeroed",
          "[unit][device]") {
  for (const Target& target : master_targets()) {
    for (const double poison : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      const Op op({"", 2, 5, 4, 0}, target, {.weight_decay = 0.1f});
      op.update(random_values(40, 3), 0.1f, 1, 0);
      const auto p = as_doubles(op.p), m = as_doubles(op.m), rounded = as_doubles(op.rounded);
      auto gradient = random_values(40, 4);
      gradient[17] = poison;
      op.update(gradient, 0.1f, 1, 1);
      CHECK(as_doubles(op.p) == p);
      CHECK(as_doubles(op.m) == m);
      CHECK(as_doubles(op.rounded) == rounded);
      CHECK(as_doubles(op.g) == std::vector<double>(40, 0.0));
    }
  }
}

TEST_CASE("Muon: same bits at any number of threads, and twice", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Op op({"", 12, 64, 96, 0}, kF32, {.weight_decay = 0.1f}, 5);
    for (uint64_t t = 1; t <= 2; ++t) op.update(random_values(op.p.numel(), 5 + t), 0.01f, 7, 1);
    return std::vector<Tensor>{op.p, op.m};
  }));
}

TEST_CASE("Muon: bf16 is refused for what is trained", "[unit][device]") {
  for (const Target& target : targets()) {
    if (target.dtype != DType::bf16) continue;
    const Op op({"", 1, 2, 2, 0}, target);
    const Tensor step = Tensor::zeros({4}, DType::f32, target.device);
    CHECK_THROWS_WITH(
        kernels::muon({}, step, 0, op.norm_squared, op.places(), op.p, op.m, op.g, {}, op.workspace),
        bf16_refused("muon", target.device));
  }
}

TEST_CASE("Muon: rejects wrong places and workspaces by name", "[unit]") {
  const Op op({"", 2, 2, 3, 0}, kF32);
  const Tensor step = Tensor::zeros({4}, DType::f32), three = Tensor::zeros({3}, DType::f32);
  const auto error_of = [&](const kernels::MatrixPlaces& places, const Tensor& workspace) -> std::string {
    try {
      kernels::muon({}, step, 0, op.norm_squared, places, op.p, op.m, op.g, {}, workspace);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(error_of(op.places(), three) == "muon: a [2, 3] matrix needs a workspace of 20 elements, got 3");
  CHECK(error_of({Tensor::from(std::vector<int32_t>{0, 7}), 2, 3}, op.workspace) ==
        "muon: matrix 1 at 7 is outside of the 12 parameters");
  CHECK(error_of({Tensor::from(std::vector<int32_t>{-1}), 2, 3}, op.workspace) ==
        "muon: matrix 0 at -1 is outside of the 12 parameters");
  CHECK(error_of({Tensor::from(std::vector<int32_t>{0}), 0, 3}, op.workspace) ==
        "muon: matrices must have elements, got [0, 3]");
}
