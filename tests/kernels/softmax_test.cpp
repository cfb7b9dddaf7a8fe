// Expectations: the definition in f64 (tests/cases/softmax.h), central differences, invariants,
// worked numbers.
#include "kernels/softmax.h"

#include "tests/cases/softmax.h"
#include "tests/support/catch.h"
#include "tests/support/gradcheck.h"
#include "tests/support/odd_view.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

SoftmaxMask mask_of(const SoftmaxCase& c, Device device = Device::cpu()) {
  SoftmaxMask mask{.lengths = {}, .causal = c.causal, .mask = {}};
  if (!c.lengths.empty()) mask.lengths = Tensor::from(c.lengths).to(device);
  if (!c.mask.empty()) mask.mask = Tensor::from(c.mask, {c.B, c.Sq, c.Sk}).to(device);
  return mask;
}

// All shapes for the definition.
std::vector<SoftmaxCase> all_softmax_cases() {
  std::vector<SoftmaxCase> cases = softmax_cases();
  for (const SoftmaxCase& c : large_softmax_cases()) cases.push_back(c);
  return cases;
}

// Terms of this size make ds, so its rounding error is relative to it: where one key has p = 1, ds
// is 0.
double ds_terms(const std::vector<double>& p) { return *std::max_element(p.begin(), p.end()); }

}  // namespace

// SM1
TEST_CASE("Softmax: agrees with the definition, in place too, rows without a key are zero",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const auto& c : all_softmax_cases()) {
      INFO(c.reason << ", " << name_of(t));
      const Shape shape{c.B, c.H, c.Sq, c.Sk};
      const Tensor scores = t.random(shape, 1, -5, 5), p = t.poisoned(shape);
      const auto expected = softmax_reference(c, as_doubles(scores));
      softmax_forward(scores, mask_of(c, t.device), p);
      CHECK(max_relative_error(p, expected) < t.forward_tolerance());
      softmax_forward(scores, mask_of(c, t.device), scores);
      CHECK(same_bits(scores, p));
    }
  }
}

// SM3
TEST_CASE("Softmax: the gradient agrees with the definition, in place too", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const auto& c : all_softmax_cases()) {
      INFO(c.reason << ", " << name_of(t));
      const Shape shape{c.B, c.H, c.Sq, c.Sk};
      const Tensor dp = t.random(shape, 2), ds = t.poisoned(shape);
      const Tensor p = t.tensor(softmax_reference(c, random_values(shape.numel(), 1, -5, 5)), shape);
      const auto p_given = as_doubles(p),
                 expected = softmax_backward_reference(as_doubles(dp), p_given, c.Sk);
      softmax_backward(dp, p, ds);
      CHECK(max_relative_error(ds, expected, ds_terms(p_given)) < t.gradient_tolerance());
      softmax_backward(dp, p, dp);
      CHECK(same_bits(dp, ds));
    }
  }
}

TEST_CASE("Softmax: the same bits twice, and wherever the rows lie in memory", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const auto& [rows, width] : {std::pair<int64_t, int64_t>{5, 64}, {3, 1032}}) {
      INFO(name_of(t) << ", width " << width);
      const Shape shape{1, 1, rows, width};
      const Tensor s = t.random(shape, 1, -5, 5), dp = t.random(shape, 2);
      const auto run = [&](bool odd) {
        const auto placed = [&](const Tensor& x) { return odd ? odd_view(x) : x; };
        const Tensor p = placed(t.poisoned(shape)), ds = placed(t.poisoned(shape));
        softmax_forward(placed(s), {}, p);
        softmax_backward(placed(dp), p, ds);
        return std::vector<Tensor>{p, ds};
      };
      const auto first = run(false), second = run(false), odd = run(true);
      for (size_t i = 0; i < first.size(); ++i) {
        CHECK(same_bits(second[i], first[i]));
        CHECK(same_bits(odd[i], first[i]));
      }
    }
  }
}

TEST_CASE("Softmax: the gradient agrees with central differences, and f32 with f64", "[grad]") {
  for (const auto& c : softmax_cases()) {
    INFO(c.reason);
    const Shape shape{c.B, c.H, c.Sq, c.Sk};
    const Tensor s = random_tensor(shape, DType::f64, 1, -2, 2), dp = random_tensor(shape, DType::f64, 2);
    const Tensor p = poisoned(shape, DType::f64), ds = poisoned(shape, DType::f64);
    const auto loss = [&] {
      softmax_forward(s, mask_of(c), p);
      return weighted_sum(p, dp);
    };
    loss();
    softmax_backward(dp, p, ds);
    CHECK(gradient_error(loss, s, ds) < 1e-6);
    const Tensor in_place = random_tensor(shape, DType::f32, 2),
                 p32 = tensor_of(as_doubles(p), shape, DType::f32);
    softmax_backward(in_place, p32, in_place);
    CHECK(max_relative_error(in_place, ds, 0.1) < tolerance(DType::f32));
  }
}

TEST_CASE("Softmax: a fully masked row is zero, not NaN, and so is its gradient", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t width : {4, 1030}) {
      INFO(name_of(t) << ", width " << width);
      const Shape shape{2, 1, 1, width};
      const Tensor s = t.random(shape, 1), p = t.poisoned(shape);
      softmax_forward(s, {.lengths = t.ids({0, -3}), .causal = false, .mask = {}}, p);
      const std::vector<double> zeros(static_cast<size_t>(2 * width), 0.0);
      CHECK(as_doubles(p) == zeros);
      const std::vector<int32_t> none(static_cast<size_t>(2 * width), 0);
      softmax_forward(s, {.lengths = {}, .causal = false, .mask = t.ids(none, {2, 1, width})}, p);
      CHECK(as_doubles(p) == zeros);
      softmax_backward(s, p, p);
      CHECK(as_doubles(p) == zeros);
    }
  }
}

TEST_CASE("Softmax: huge scores do not overflow, and adding a constant changes nothing", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t width : {4, 1028}) {  // integers that bf16 holds
      INFO(name_of(t) << ", width " << width);
      std::vector<double> scores(static_cast<size_t>(width), -1024);
      scores[0] = scores[3] = 1024, scores[1] = 1016;
      std::vector<double> shifted;
      for (const double s : scores) shifted.push_back(s - 1024);
      const Tensor a = t.tensor(scores, {1, 1, 1, width}), b = t.tensor(shifted, {1, 1, 1, width});
      softmax_forward(a, {}, a);
      softmax_forward(b, {}, b);
      CHECK(same_bits(a, b));
      CHECK(as_doubles(a)[0] == Approx(1 / (2 + std::exp(-8.0))).epsilon(t.forward_tolerance()));
    }
  }
}

TEST_CASE("Softmax: equal scores share the row evenly", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t width : {1, 32, 1024, 2048}) {  // powers of two: 1/width is exact
      const Tensor s = t.tensor(std::vector<double>(static_cast<size_t>(3 * width), 1.5), {1, 3, 1, width});
      softmax_forward(s, {}, s);
      INFO(name_of(t) << ", width " << width);
      CHECK(as_doubles(s) ==
            std::vector<double>(static_cast<size_t>(3 * width), 1.0 / static_cast<double>(width)));
    }
  }
}

TEST_CASE("Softmax: NaN scores stay visible", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t width : {3, 1030}) {
      std::vector<double> scores(static_cast<size_t>(width), 1.0);
      scores[1] = std::nan("");
      const Tensor all = t.tensor(std::vector<double>(scores.size(), std::nan("")), {1, 1, 1, width});
      softmax_forward(all, {}, all);
      CHECK(std::isnan(as_doubles(all)[0]));
      const Tensor s = t.tensor(scores, {1, 1, 1, width});
      softmax_forward(s, {}, s);
      INFO(name_of(t) << ", width " << width);
      CHECK(std::isnan(as_doubles(s)[0]));
    }
  }
}

TEST_CASE("Softmax: worked masks", "[golden]") {
  // softmax of (2, 1, .5, -1) with the last two masked: 1/(1 + 1/e) and 1/(1 + e).
  const Tensor s = Tensor::from(std::vector<float>{2, 1, .5f, -1}, {1, 1, 1, 4});
  softmax_forward(s, {.lengths = Tensor::from(std::vector<int32_t>{2}), .causal = false, .mask = {}}, s);
  CHECK(max_relative_error(s, std::vector<double>{.731059, .268941, 0, 0}) < 1e-6);
  // Key counts of a causal mask with lengths 3 and 4 over four positions: rows 1, 2, 3, 3 and 1, 2,
  // 3, 4.
  const Tensor equal = Tensor::zeros({2, 1, 4, 4}, DType::f32);
  softmax_forward(equal, {.lengths = Tensor::from(std::vector<int32_t>{3, 4}), .causal = true, .mask = {}},
                  equal);
  const double third = 1.0 / 3;
  CHECK(max_relative_error(
            equal, std::vector<double>{1, 0,     0,     0,     .5,    .5, 0,   0,   third, third, third,
                                       0, third, third, third, 0,     1,  0,   0,   0,     .5,    .5,
                                       0, 0,     third, third, third, 0,  .25, .25, .25,   .25}) < 1e-6);
}

// Short rows are computed several at a time, and how many of them a thread has depends on the
// threads.
TEST_CASE("Softmax: the same bits at any thread count", "[unit]") {
  for (const int64_t keys : {12, 14, 16, 65}) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      INFO(keys << " keys, " << name_of(dtype));
      CHECK(same_bits_at_any_thread_count([&] {
        const Shape shape{3, 4, 411, keys};
        const Tensor s = random_tensor(shape, dtype, 1), p = poisoned(shape, dtype);
        softmax_forward(s, {.lengths = {}, .causal = true, .mask = {}}, p);
        const Tensor ds = poisoned(shape, dtype);
        softmax_backward(s, p, ds);
        return std::vector<Tensor>{p, ds};
      }));
    }
  }
}

// Which rows lie beside a row must not show in it.
TEST_CASE("Softmax: a row has the same bits alone and among others", "[unit]") {
  for (const int64_t keys : {1, 7, 12, 14, 31, 63, 100}) {
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
      INFO(keys << " keys, " << name_of(dtype));
      const int64_t rows = 67;
      const Tensor s = random_tensor({1, 1, rows, keys}, dtype, 1, -5, 5), p = poisoned(s.shape(), dtype),
                   ds = poisoned(s.shape(), dtype);
      softmax_forward(s, {}, p);
      softmax_backward(s, p, ds);
      for (const int64_t row : {int64_t{0}, int64_t{1}, rows - 1}) {
        const auto alone = [&](const Tensor& x) {
          return x.reshape({rows, keys}).slice_rows(row, row + 1).reshape({1, 1, 1, keys});
        };
        const Tensor p_alone = poisoned({1, 1, 1, keys}, dtype), ds_alone = poisoned({1, 1, 1, keys}, dtype);
        softmax_forward(alone(s), {}, p_alone);
        softmax_backward(alone(s), alone(p), ds_alone);
        CHECK(same_bits(p_alone, alone(p)));
        CHECK(same_bits(ds_alone, alone(ds)));
      }
    }
  }
}

// A batch pads its rows to the longest: what lies behind a row's keys must not show in it.
TEST_CASE("Softmax: a row has the same bits however far it is padded", "[unit]") {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (int64_t keys = 1; keys <= 70; ++keys) {
      const Tensor row = random_tensor({1, keys}, dtype, 1, -5, 5);
      const Tensor lengths = Tensor::from(std::vector<int32_t>{static_cast<int32_t>(keys)});
      const auto probabilities = [&](int64_t padded) {
        const Tensor s = random_tensor({1, 1, 1, padded}, dtype, 2, -5, 5), p = poisoned(s.shape(), dtype);
        s.reshape({1, padded}).slice_columns(0, keys).copy_from(row);
        softmax_forward(s, {.lengths = lengths, .causal = false, .mask = {}}, p);
        const Tensor of_keys = poisoned({1, keys}, dtype);
        of_keys.copy_from(p.reshape({1, padded}).slice_columns(0, keys));
        return of_keys;
      };
      const Tensor expected = probabilities(keys);
      for (const int64_t padded : {keys + 1, keys + 2, (keys + 15) / 16 * 16, int64_t{128}, int64_t{131}}) {
        INFO(keys << " keys of " << padded << ", " << name_of(dtype));
        CHECK(same_bits(probabilities(padded), expected));
      }
    }
  }
}

TEST_CASE("Softmax: refuses masks of another shape or type", "[unit]") {
  const Tensor s = random_tensor({2, 1, 3, 4}, DType::f32, 1);
  const Tensor i32 = Tensor::from(std::vector<int32_t>{1, 2, 3});
  CHECK_THROWS_AS(softmax_forward(s, {.lengths = i32, .causal = false, .mask = {}}, s), Error);
  CHECK_THROWS_AS(softmax_forward(s, {.lengths = {}, .causal = false, .mask = i32}, s), Error);
  CHECK_THROWS_AS(softmax_forward(s, {}, poisoned({2, 1, 4, 3}, DType::f32)), Error);
  CHECK_THROWS_AS(softmax_backward(s, random_tensor({2, 1, 3, 4}, DType::f64, 1), s), Error);
}
