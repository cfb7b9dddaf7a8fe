#include "kernels/r_drop.h"

#include "kernels/cross_entropy.h"
#include "tests/cases/cross_entropy.h"
#include "tests/cases/r_drop.h"
#include "tests/support/catch.h"
#include "tests/support/gradcheck.h"
#include "tests/support/odd_view.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::tests;
using xf::kernels::r_drop;
using xf::kernels::RDrop;

namespace {

const Target kF32{Device::cpu(), DType::f32}, kF64{Device::cpu(), DType::f64};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Op {
  RDrop options;
  Tensor z, bias, targets, loss, dz, dbias;

  // On CUDA the bias belongs to the products.
  Op(const RDropCase& c, const Target& t, bool with_bias)
      : options{.divergence = 0.7f, .label_smoothing = static_cast<float>(c.smoothing)} {
    z = t.random({2 * c.N, c.V}, 1, -c.spread, c.spread);
    targets = t.ids(cross_entropy_targets(c.N, c.V));
    loss = t.sums({0, 0}, {2});
    dz = t.poisoned({2 * c.N, c.V});
    if (!with_bias) return;
    bias = t.random({c.V}, 2);
    dbias = Tensor::zeros({c.V}, t.accumulator());
  }
  void run() const { r_drop(z, bias, targets, options, loss, dz, dbias); }
  RDropReference reference() const {
    return r_drop_reference(as_doubles(z), bias.defined() ? as_doubles(bias) : std::vector<double>(),
                            targets.to_vector<int32_t>(), options.label_smoothing, options.divergence,
                            z.width());
  }
};

}  // namespace

// SD1, SD2, SD3, SD4, CE1, CE3
TEST_CASE("RDrop: losses and gradients match the definition, with a bias and without", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const RDropCase& c : r_drop_cases()) {
      for (const bool with_bias : {false, true}) {
        if (with_bias && t.device != Device::cpu()) continue;
        Op op(c, t, with_bias);
        const auto expected = op.reference();
        op.run();
        INFO(c.why << ", bias " << with_bias << ", " << name_of(t));
        // Sums of differences lose |d| * 2^-24 in f32.
        const bool coarse = t.dtype != DType::f64 && c.spread > 100;
        CHECK(max_relative_error(op.loss, {expected.loss, expected.unsmoothed}, 1.0) <
              (coarse ? 1e-4 : tolerance(t.accumulator())));
        CHECK(max_relative_error(op.dz, expected.dz, 1e-3) < (coarse ? 1e-2 : t.gradient_tolerance()));
        if (with_bias) {
          CHECK(max_relative_error(op.dbias, expected.dbias, 1e-3) <
                (coarse ? 1e-2 : t.gradient_tolerance()));
        }
      }
    }
  }
}

TEST_CASE("RDrop: the gradients match central differences", "[grad]") {
  for (const RDropCase& c :
       {RDropCase{"", 1, 2, 0, 1}, {"", 3, 31, 0.1, 2}, {"", 7, 33, 0.1, 2}, {"", 2, 129, 0.1, 2}}) {
    const Op op(c, kF64, true);
    op.run();
    const Tensor unused = kF64.poisoned({2 * c.N, c.V});
    const auto loss = [&] {
      op.loss.fill_zero();
      r_drop(op.z, op.bias, op.targets, op.options, op.loss, unused, {});
      return as_doubles(op.loss)[0];
    };
    INFO("N " << c.N << ", V " << c.V);
    CHECK(gradient_error(loss, op.z, op.dz) < 1e-6);
    CHECK(gradient_error(loss, op.bias, op.dbias) < 1e-6);
  }
}

// Of probabilities 1/2 1/2 and 1/4 3/4 of the target and the other word: log 2 and log 4, and apart
// (1/4) log 2 + (-1/4) log(2/3) = (1/4) log 3.
TEST_CASE("RDrop: a pair by hand, equal rows do not diverge, and no row's gradient has a sum", "[unit]") {
  const Tensor z = Tensor::from(std::vector<double>{0, 0, 0, std::log(3.0)}, {2, 2}),
               dz = Tensor::zeros({2, 2}, DType::f64);
  const Tensor loss = Tensor::zeros({2}, DType::f64), target = Tensor::from(std::vector<int32_t>{0});
  r_drop(z, {}, target, {}, loss, dz, {});
  CHECK(as_doubles(loss)[0] == Approx(std::log(8.0) + std::log(3.0) / 4));
  CHECK(as_doubles(loss)[1] == Approx(std::log(8.0)));
  const auto g = as_doubles(dz);
  CHECK(std::abs(g[0] + g[1]) < 1e-15);
  CHECK(std::abs(g[2] + g[3]) < 1e-15);
  const Tensor equal = Tensor::from(std::vector<double>{0, std::log(3.0), 0, std::log(3.0)}, {2, 2});
  r_drop(equal, {}, target, {}, loss, dz, {});
  // accumulated
  CHECK(as_doubles(loss)[0] == Approx(std::log(8.0) + std::log(3.0) / 4 + 2 * std::log(4.0)));
  const auto alone = as_doubles(dz);  // p minus the target
  for (const size_t row : {0, 2}) {
    CHECK(alone[row] == Approx(0.25 - 1));
    CHECK(alone[row + 1] == Approx(0.75));
  }
}

TEST_CASE("RDrop: without divergence it is the two rows' cross-entropy, the gradient written over the logits",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {39, 1041}) {
      Op op({"", 6, V, 0.1, 3}, t, false);
      op.options.divergence = 0;
      std::vector<int32_t> twice = op.targets.to_vector<int32_t>();
      twice.insert(twice.end(), twice.begin(), twice.end());
      const Tensor expected = t.poisoned(op.z.shape()), loss = t.sums({0, 0}, {2});
      kernels::cross_entropy(op.z, t.ids(twice), {.label_smoothing = 0.1f}, loss, expected);
      op.dz = op.z;
      op.run();
      INFO("V " << V << ", " << name_of(t));
      CHECK(max_relative_error(op.loss, as_doubles(loss)) < tolerance(t.accumulator()));
      CHECK(max_relative_error(op.dz, as_doubles(expected), 1e-3) < t.gradient_tolerance());
    }
  }
}

TEST_CASE("RDrop: pairs that are ignored count nothing, and are zero, not NaN", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {5, 1033}) {
      Op op({"", 3, V, 0.1, 1}, t, false);
      op.targets = t.ids({0, 0, 0});
      op.options.ignore_id = 0;
      op.run();
      CHECK(as_doubles(op.loss) == std::vector<double>{0, 0});
      CHECK(as_doubles(op.dz) == std::vector<double>(static_cast<size_t>(6 * V), 0.0));
    }
  }
}

TEST_CASE("RDrop: logits that begin anywhere are as good, a NaN reaches the loss", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {39, 1041}) {
      Op op({"", 5, V, 0.1, 3}, t, false);
      const auto expected = op.reference();
      op.z = odd_view(op.z);
      op.run();
      INFO("V " << V << ", " << name_of(t));
      CHECK(max_relative_error(op.loss, {expected.loss, expected.unsmoothed}) < tolerance(t.accumulator()));
      CHECK(max_relative_error(op.dz, expected.dz, 1e-3) < t.gradient_tolerance());
      auto values = as_doubles(op.z);
      values[7] = std::nan("");
      op.z = t.tensor(values, {10, V});
      op.run();
      CHECK(std::isnan(as_doubles(op.loss)[0]));
    }
  }
}

// exp(-infinity) = 0 in both passes: the loss and the gradients are those of rows without these
// words. The plain kernel too.
TEST_CASE("RDrop: logits of -infinity in both rows are words that are not there", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {6, 1034}) {
      Op few({"", 4, V / 2, 0, 3}, t, false), all({"", 4, V, 0, 3}, t, false);
      const auto z = as_doubles(few.z);
      std::vector<double> spread(static_cast<size_t>(8 * V), -kInfinity), expected(spread.size(), 0.0);
      for (size_t i = 0; i < z.size(); ++i) spread[2 * i] = z[i];
      std::vector<int32_t> words = few.targets.to_vector<int32_t>();
      for (int32_t& word : words) word *= word < 0 ? 1 : 2;
      all.z = t.tensor(spread, {8, V});
      all.targets = t.ids(words);
      few.run();
      all.run();
      const auto dz = as_doubles(few.dz);
      for (size_t i = 0; i < z.size(); ++i) expected[2 * i] = dz[i];
      INFO("V " << V << ", " << name_of(t));
      CHECK(max_relative_error(all.loss, as_doubles(few.loss)) < tolerance(t.accumulator()));
      CHECK(max_relative_error(all.dz, expected, 1e-3) < t.gradient_tolerance());
      const RDropReference plain = all.reference();
      CHECK(max_relative_error(all.loss, {plain.loss, plain.unsmoothed}) < tolerance(t.accumulator()));
      CHECK(max_relative_error(all.dz, plain.dz, 1e-3) < t.gradient_tolerance());
    }
  }
}

// KL of a word that one pass holds for possible and the other for impossible is infinite, from
// either side; without a weight for divergence it does not count.
TEST_CASE("RDrop: a word that comes in one pass alone makes an infinite loss, a target of -infinity too",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {5, 1033}) {
      for (const int64_t row : {0, 1}) {
        for (const size_t word : {2, 3}) {  // the target, another
          std::vector<double> z(static_cast<size_t>(2 * V), 0.0);
          z[static_cast<size_t>(row * V) + word] = -kInfinity;
          Op op({"", 1, V, 0, 1}, t, false);
          op.z = t.tensor(z, {2, V});
          op.targets = t.ids({2});
          INFO("V " << V << ", row " << row << ", word " << word << ", " << name_of(t));
          op.run();
          CHECK(as_doubles(op.loss)[0] == kInfinity);
          CHECK(op.reference().loss == kInfinity);
          op.options.divergence = 0;
          op.loss = t.sums({0, 0}, {2});
          op.run();
          const RDropReference plain = op.reference();
          CHECK(std::isfinite(plain.loss) == (word == 3));
          CHECK(max_relative_error(op.loss, {plain.loss, plain.unsmoothed}) < tolerance(t.accumulator()));
          CHECK(max_relative_error(op.dz, plain.dz) < t.gradient_tolerance());
        }
      }
    }
  }
}

TEST_CASE("RDrop: a target that is no word is an error on the CPU, on CUDA a loss that is NaN",
          "[unit][device]") {
  for (const Target& t : targets()) {
    Op op({"", 2, 5, 0, 1}, t, false);
    op.targets = t.ids({1, 5});
    if (t.device == Device::cpu()) {
      CHECK_THROWS_WITH(op.run(), "r_drop: target 5 of pair 1 is outside of the 5 logits");
    } else {
      op.run();
      CHECK(std::isnan(as_doubles(op.loss)[0]));
    }
  }
}

TEST_CASE("RDrop: same bits at any number of threads, and twice", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Op op({"several threads", 300, 131, 0.1, 2}, kF32, true);
    op.run();
    return std::vector<Tensor>{op.loss, op.dz, op.dbias};
  }));
}

TEST_CASE("RDrop: rejects an odd number of rows and a wrong smoothing by name", "[unit]") {
  Op op({"", 3, 5, 0, 1}, kF32, true);
  const Tensor two = Tensor::from(std::vector<int32_t>{1, 2});
  CHECK_THROWS_WITH(r_drop(op.z.slice_rows(0, 5), op.bias, two, op.options, op.loss, op.dz, op.dbias),
                    "r_drop: z must have two rows for each token, got [5, 5]");
  op.options.label_smoothing = 1;
  CHECK_THROWS_WITH(op.run(), "r_drop: label smoothing must be in [0, 1), got 1");
}
