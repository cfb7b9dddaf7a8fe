#include "kernels/cross_entropy.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "kernels/r_drop.h"
#include "tests/cases/cross_entropy.h"
#include "tests/cases/r_drop.h"
#include "tests/support/catch.h"
#include "tests/support/gradcheck.h"
#include "tests/support/odd_view.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::tests;
using xf::kernels::cross_entropy;
using xf::kernels::CrossEntropy;
using xf::kernels::logits_chunk;
using xf::kernels::projection_cross_entropy;

namespace {

const Target kF32{Device::cpu(), DType::f32}, kF64{Device::cpu(), DType::f64};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Op {
  CrossEntropy options;
  Tensor z, targets, loss, dz;

  Op(const CrossEntropyCase& c, const Target& t)
      : options{.label_smoothing = static_cast<float>(c.smoothing)} {
    z = t.random({c.N, c.V}, 1, -c.spread, c.spread);
    targets = t.ids(cross_entropy_targets(c.N, c.V));
    loss = t.sums({0, 0}, {2});
    dz = t.poisoned({c.N, c.V});
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
  kernels::PaddedProjection padded;
  std::optional<kernels::RDropLoss> repeated;

  Projection(int64_t N, int64_t D, int64_t V, const Target& t) {
    x = t.random({N, D}, 1), w = t.random({V, D}, 2), bias = t.random({V}, 3);
    targets = t.ids(cross_entropy_targets(N, V));
    logits = t.poisoned(logits_chunk(N, V, t.device));
    loss = Tensor::zeros({2}, t.accumulator(), t.device);
    gradients = {t.poisoned({N, D}), Tensor::zeros({V, D}, t.accumulator(), t.device),
                 Tensor::zeros({V}, t.accumulator(), t.device)};
    const int64_t places = kernels::padded_vocabulary(V, t.dtype, t.device);
    if (places > V) padded = {t.poisoned({places, D}), t.poisoned({places})};
  }
  void run() const {
    projection_cross_entropy(x, w, bias, targets, options, logits, loss, gradients, padded,
                             repeated ? &*repeated : nullptr);
  }
  double smoothed_loss() const {
    loss.fill_zero();
    projection_cross_entropy(x, w, bias, targets, options, logits, loss, {}, padded);
    return as_doubles(loss)[0];
  }
};

// The same from its definition: all logits at once.
struct ProjectionReference {
  CrossEntropyReference ce;
  std::vector<double> dx, dw, dbias;

  explicit ProjectionReference(const Projection& op, double divergence = 0) {
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
    std::vector<int32_t> words = op.targets.to_vector<int32_t>();
    ce = cross_entropy_reference(z, words, op.options.label_smoothing, op.w.rows());
    if (divergence != 0) {
      words.resize(words.size() / 2);
      const auto pairs = r_drop_reference(z, {}, words, op.options.label_smoothing, divergence, op.w.rows());
      ce = {pairs.loss, pairs.unsmoothed, pairs.dz};
    }
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

int64_t rows_of_chunk(const Target& t) { return logits_chunk(INT32_MAX, 1, t.device)[0]; }

void check_against(const ProjectionReference& expected, const Projection& op, const Target& t) {
  CHECK(max_relative_error(op.loss, {expected.ce.loss, expected.ce.unsmoothed}) < t.forward_tolerance());
  CHECK(max_relative_error(op.gradients.dx, expected.dx) < t.gradient_tolerance());
  CHECK(max_relative_error(op.gradients.dw, expected.dw) < t.gradient_tolerance());
  if (!op.bias.defined()) return;
  CHECK(max_relative_error(op.gradients.dbias, expected.dbias) < t.gradient_tolerance());
}

}  // namespace

// CE1, CE2, CE3
TEST_CASE("CrossEntropy: losses and gradient match the definition", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const CrossEntropyCase& c : cross_entropy_cases()) {
      const Op op(c, t);
      op.run();
      const auto expected = op.reference();
      INFO(c.why << ", " << name_of(t));
      CHECK(max_relative_error(op.loss, {expected.loss, expected.unsmoothed}, 1.0) <
            tolerance(t.accumulator()));
      // z - lse loses |z| * 2^-24 in f32: 300 * 6e-8
      const double limit = t.dtype == DType::f32 && c.spread > 100 ? 1e-4 : t.gradient_tolerance();
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
    const Op op(c, kF64);
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
  const Op op({"", 4, 7853, 0.1, 0}, kF64);  // spread 0: all logits are 0
  op.run();
  CHECK(as_doubles(op.loss)[1] == Approx(4 * 8.968651).epsilon(1e-7));  // ln 7853
  CHECK(as_doubles(op.loss)[0] == Approx(as_doubles(op.loss)[1]).epsilon(1e-12));
  const Op random({"", 4, 1000, 0.1, 3}, kF64);
  random.run();
  for (int64_t n = 0; n < 4; ++n) {
    double sum = 0;
    for (const double value : random.dz.slice_rows(n, n + 1).to_vector<double>()) sum += value;
    CHECK(std::abs(sum) < 1e-13);
  }
}

TEST_CASE("CrossEntropy: ignored rows count nothing, and a batch of them is zero, not NaN",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {5, 1033}) {
      const Op op({"", 3, V, 0.1, 1}, t);
      cross_entropy(op.z, t.ids({0, 0, 0}), {.label_smoothing = 0.1f, .ignore_id = 0}, op.loss, op.dz);
      CHECK(as_doubles(op.loss) == std::vector<double>{0, 0});
      CHECK(as_doubles(op.dz) == std::vector<double>(static_cast<size_t>(3 * V), 0.0));
    }
  }
}

TEST_CASE("CrossEntropy: losses accumulate, dz may be z, and the loss alone is the same number",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {129, 1033}) {
      const Op op({"", 7, V, 0.1, 3}, t), again({"", 7, V, 0.1, 3}, t);
      op.run();
      cross_entropy(again.z, again.targets, again.options, again.loss, {});
      CHECK(same_bits(again.loss, op.loss));
      cross_entropy(again.z, again.targets, again.options, again.loss, again.z);
      CHECK(same_bits(again.z, op.dz));
      CHECK(as_doubles(again.loss)[0] == 2 * as_doubles(op.loss)[0]);
    }
  }
}

TEST_CASE("CrossEntropy: logits that begin anywhere, dz elsewhere, are as good", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {40, 1040}) {
      Op op({"", 5, V, 0.1, 3}, t);
      const auto expected = op.reference();
      op.z = odd_view(op.z);
      op.run();
      INFO("V " << V << ", " << name_of(t));
      CHECK(max_relative_error(op.loss, {expected.loss, expected.unsmoothed}) < tolerance(t.accumulator()));
      CHECK(max_relative_error(op.dz, expected.dz, 1e-3) < t.gradient_tolerance());
    }
  }
}

// exp(-infinity) = 0: the loss and the gradient are those of a row without these words.
TEST_CASE("CrossEntropy: a logit of -infinity is a word that is not there", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {6, 1034, 20010}) {  // of a warp, held by a block, walked by one
      Op few({"", 4, V / 2, 0, 3}, t), all({"", 4, V, 0, 3}, t);
      const auto z = as_doubles(few.z);
      std::vector<double> spread(static_cast<size_t>(4 * V), -kInfinity), expected(spread.size(), 0.0);
      for (size_t i = 0; i < z.size(); ++i) spread[2 * i] = z[i];
      std::vector<int32_t> targets_of_all = few.targets.to_vector<int32_t>();
      for (int32_t& target : targets_of_all) target *= target < 0 ? 1 : 2;
      all.z = t.tensor(spread, {4, V});
      all.targets = t.ids(targets_of_all);
      few.run();
      all.run();
      const auto dz = as_doubles(few.dz);
      for (size_t i = 0; i < z.size(); ++i) expected[2 * i] = dz[i];
      INFO("V " << V << ", " << name_of(t));
      CHECK(max_relative_error(all.loss, as_doubles(few.loss)) < tolerance(t.accumulator()));
      CHECK(max_relative_error(all.dz, expected) < t.gradient_tolerance());
      const auto plain = cross_entropy_reference(spread, targets_of_all, 0, V);
      CHECK(max_relative_error(all.loss, {plain.loss, plain.unsmoothed}) < tolerance(t.accumulator()));
      CHECK(max_relative_error(all.dz, plain.dz, 1e-3) < t.gradient_tolerance());
    }
  }
}

// -log 0 is infinite: of the target always, of any word where smoothing asks for some of each. dz
// stays p - q.
TEST_CASE("CrossEntropy: a target of -infinity is an infinite loss, and so is any word with smoothing",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {5, 1033, 20011}) {
      for (const int32_t impossible : {2, 3}) {
        for (const float smoothing : {0.0f, 0.1f}) {
          std::vector<double> z(static_cast<size_t>(V), 0.0);
          z[static_cast<size_t>(impossible)] = -kInfinity;
          Op op({"", 1, V, 0, 1}, t);
          op.z = t.tensor(z, {1, V});
          op.targets = t.ids({2});
          op.options.label_smoothing = smoothing;
          op.run();
          const auto expected = op.reference();
          const bool is_target = impossible == 2;
          INFO("V " << V << ", word " << impossible << ", smoothing " << smoothing << ", " << name_of(t));
          CHECK((expected.loss == kInfinity) == (is_target || smoothing > 0));
          CHECK(max_relative_error(op.loss, {expected.loss, expected.unsmoothed}) <
                tolerance(t.accumulator()));
          CHECK(max_relative_error(op.dz, expected.dz) < t.gradient_tolerance());
        }
      }
    }
  }
}

TEST_CASE("CrossEntropy: a NaN logit reaches the loss", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {40, 1040}) {
      Op op({"", 1, V, 0, 1}, t);
      auto values = as_doubles(op.z);
      values[7] = std::nan("");
      op.z = t.tensor(values, {1, V});
      op.run();
      CHECK(std::isnan(as_doubles(op.loss)[0]));
    }
  }
}

TEST_CASE("CrossEntropy: a target that is no word is an error on the CPU, and a loss of NaN on a device",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {5, 1033}) {
      const Op op({"", 2, V, 0.1, 1}, t);
      const auto run = [&] {
        cross_entropy(op.z, t.ids({1, static_cast<int32_t>(V)}), op.options, op.loss, op.dz);
      };
      if (t.device == Device::cpu()) {
        CHECK_THROWS_AS(run(), Error);
      } else {
        run();
        CHECK(std::isnan(as_doubles(op.loss)[0]));
      }
    }
  }
}

TEST_CASE("CrossEntropy: same bits at any number of threads, and twice", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Op op({"several threads", 300, 131, 0.1, 2}, kF32);
    op.run();
    return std::vector<Tensor>{op.loss, op.dz};
  }));
}

TEST_CASE("CrossEntropy: rejects wrong targets and smoothing by name", "[unit]") {
  const Op op({"", 3, 5, 0.1, 1}, kF32);
  const Tensor large = Tensor::from(std::vector<int32_t>{1, 5, 2});
  CHECK_THROWS_WITH(cross_entropy(op.z, large, op.options, op.loss, op.dz),
                    "cross_entropy: target 5 of row 1 is outside of the 5 logits");
  CHECK_THROWS_WITH(cross_entropy(op.z, op.targets, {.label_smoothing = 1}, op.loss, op.dz),
                    "cross_entropy: label smoothing must be in [0, 1), got 1");
}

// CE4
TEST_CASE("ProjectionCrossEntropy: chunks give the losses and gradients of the whole", "[unit][device]") {
  for (const Target& t : targets()) {
    // one row; a part of a chunk; a chunk and a row; three chunks, the last one short
    const int64_t chunk = rows_of_chunk(t);
    for (const int64_t N : {int64_t{1}, int64_t{31}, chunk + 1, 2 * chunk + 33}) {
      for (const bool with_bias : {true, false}) {
        Projection op(N, 8, 41, t);
        if (!with_bias) op.bias = {}, op.gradients.dbias = {};
        op.run();
        INFO("N " << N << ", bias " << with_bias << ", " << name_of(t));
        check_against(ProjectionReference(op), op, t);
      }
    }
  }
}

TEST_CASE("ProjectionCrossEntropy: gradients match central differences", "[grad]") {
  for (const int64_t N : {int64_t{1}, int64_t{3}, int64_t{31}}) {
    const Projection op(N, 5, 33, kF64);
    op.run();
    const auto loss = [&] { return op.smoothed_loss(); };
    INFO("N " << N);
    CHECK(gradient_error(loss, op.x, op.gradients.dx) < 1e-6);
    CHECK(gradient_error(loss, op.w, op.gradients.dw) < 1e-6);
    CHECK(gradient_error(loss, op.bias, op.gradients.dbias) < 1e-6);
  }
}

// Two passes over N / 2 tokens: the losses of both, and their divergence.
TEST_CASE("ProjectionCrossEntropy: of pairs, chunks give the losses and gradients of the whole",
          "[unit][device]") {
  constexpr float kWeight = 1.5f;
  for (const Target& t : targets()) {
    // a pair; a part of a chunk; a chunk and a pair; three chunks, the last one short
    const int64_t chunk = rows_of_chunk(t);
    for (const int64_t N : {int64_t{2}, int64_t{30}, chunk + 2, 2 * chunk + 34}) {
      for (const bool with_bias : {true, false}) {
        Projection op(N, 8, 41, t);
        std::vector<int32_t> of_both = cross_entropy_targets(N / 2, 41);
        of_both.insert(of_both.end(), of_both.begin(), of_both.end());
        op.targets = t.ids(of_both);
        if (!with_bias) op.bias = {}, op.gradients.dbias = {};
        op.repeated.emplace(kWeight);
        op.run();
        INFO("N " << N << ", bias " << with_bias << ", " << name_of(t));
        check_against(ProjectionReference(op, kWeight), op, t);
      }
    }
  }
}

// A bias of -infinity, as a mask of the vocabulary is given, with the rows' losses alone and with
// pairs' divergence.
TEST_CASE("ProjectionCrossEntropy: words that the bias makes impossible cost nothing", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const float divergence : {0.0f, 1.5f}) {
      Projection op(30, 8, 41, t);
      std::vector<double> bias = as_doubles(op.bias);
      bias[39] = bias[40] = -kInfinity;  // no target
      op.bias = t.tensor(bias, {41});
      std::vector<int32_t> of_both = cross_entropy_targets(15, 39);
      of_both.insert(of_both.end(), of_both.begin(), of_both.end());
      op.targets = t.ids(of_both);
      op.options.label_smoothing = 0;
      if (divergence > 0) op.repeated.emplace(divergence);
      op.run();
      INFO("divergence " << divergence << ", " << name_of(t));
      CHECK(std::isfinite(as_doubles(op.loss)[0]));
      check_against(ProjectionReference(op, divergence), op, t);
    }
  }
}

// What the products read behind the words is zero, so that whatever the loss leaves there adds
// nothing.
TEST_CASE("ProjectionCrossEntropy: a vocabulary is padded to whole packs on CUDA, with zeros",
          "[unit][device]") {
  for (const Target& t : targets()) {
    INFO(name_of(t));
    const int64_t pack = t.device.type == DeviceType::cuda ? 16 / size_of(t.dtype) : 1;
    for (const int64_t V : {7 * pack, 7 * pack + 1}) {
      const int64_t places = kernels::padded_vocabulary(V, t.dtype, t.device);
      CHECK(places == (V % pack == 0 ? V : 8 * pack));
      const Projection op(5, 3, V, t);
      op.run();
      if (places == V) continue;
      std::vector<double> w = as_doubles(op.w), bias = as_doubles(op.bias);
      w.resize(static_cast<size_t>(places * 3)), bias.resize(static_cast<size_t>(places));
      CHECK(as_doubles(op.padded.w) == w);
      CHECK(as_doubles(op.padded.bias) == bias);
    }
  }
}

TEST_CASE("ProjectionCrossEntropy: rejects wrong shapes by name", "[unit]") {
  const Projection op(3, 4, 5, kF32);
  CHECK_THROWS_WITH(projection_cross_entropy(op.x, op.w, op.bias, op.targets, op.options,
                                             Tensor::zeros({512, 5}, DType::f32), op.loss, op.gradients),
                    "projection_cross_entropy: logits must be [3, 5], got [512, 5]");
  CHECK_THROWS_WITH(projection_cross_entropy(op.x, op.w, op.bias, op.targets, op.options, op.logits, op.loss,
                                             op.gradients, {.w = Tensor::zeros({8, 4}, DType::f32)}),
                    "projection_cross_entropy: padded.w must be [5, 4], got [8, 4]");
  Projection odd(3, 4, 5, kF32);
  odd.repeated.emplace(1.0f);
  CHECK_THROWS_WITH(
      odd.run(),
      "projection_cross_entropy: 2 readings need gradients and a row each of every token, got 3 rows");
}
