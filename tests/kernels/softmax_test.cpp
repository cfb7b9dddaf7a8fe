// Expectations: the definition in f64 (tests/cases/softmax.h), central differences, invariants, worked
// numbers.
#include "kernels/softmax.h"

#include <catch2/catch.hpp>

#include "tests/cases/softmax.h"
#include "tests/support/gradcheck.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

SoftmaxMask mask_of(const SoftmaxCase& c) {
  SoftmaxMask mask{.lengths = {}, .causal = c.causal, .mask = {}};
  if (!c.lengths.empty()) mask.lengths = Tensor::from(c.lengths);
  if (!c.mask.empty()) mask.mask = Tensor::from(c.mask, {c.B, c.Sq, c.Sk});
  return mask;
}

}  // namespace

TEST_CASE("Softmax: agrees with the definition, in place too, rows without a key are zero", "[unit]") {
  for (const auto& c : softmax_cases()) {
    INFO(c.reason);
    const Shape shape{c.B, c.H, c.Sq, c.Sk};
    const auto s = random_values(shape.numel(), 1, -5, 5);
    const auto expected = softmax_reference(c, s);
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Tensor scores = tensor_of(s, shape, dtype), p = poisoned(shape, dtype);
      softmax_forward(scores, mask_of(c), p);
      CHECK(max_relative_error(p, expected) < tolerance(dtype));
      softmax_forward(scores, mask_of(c), scores);
      CHECK(same_bits(scores, p));
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

TEST_CASE("Softmax: a fully masked row is zero, not NaN, and so is its gradient", "[unit]") {
  const Tensor s = random_tensor({1, 1, 1, 4}, DType::f32, 1), p = poisoned({1, 1, 1, 4}, DType::f32);
  softmax_forward(s, {.lengths = Tensor::from(std::vector<int32_t>{0}), .causal = false, .mask = {}}, p);
  CHECK(as_doubles(p) == std::vector<double>(4, 0.0));
  softmax_backward(s, p, p);
  CHECK(as_doubles(p) == std::vector<double>(4, 0.0));
}

TEST_CASE("Softmax: huge scores do not overflow, and adding a constant changes nothing", "[unit]") {
  const Tensor s = Tensor::from(std::vector<float>{1000, 999, -1000, 1000}, {1, 1, 1, 4});
  const Tensor shifted = Tensor::from(std::vector<float>{0, -1, -2000, 0}, {1, 1, 1, 4});
  softmax_forward(s, {}, s);
  softmax_forward(shifted, {}, shifted);
  CHECK(same_bits(s, shifted));
  CHECK(s.data<float>()[0] == Approx(1 / (2 + std::exp(-1.0))));
}

TEST_CASE("Softmax: NaN scores stay visible", "[unit]") {
  const Tensor s = Tensor::from(std::vector<float>{1, std::nanf(""), 2}, {1, 1, 1, 3});
  softmax_forward(s, {}, s);
  CHECK(std::isnan(s.data<float>()[0]));
}

TEST_CASE("Softmax: worked masks", "[golden]") {
  // softmax of (2, 1, .5, -1) with the last two masked: 1/(1 + 1/e) and 1/(1 + e).
  const Tensor s = Tensor::from(std::vector<float>{2, 1, .5f, -1}, {1, 1, 1, 4});
  softmax_forward(s, {.lengths = Tensor::from(std::vector<int32_t>{2}), .causal = false, .mask = {}}, s);
  CHECK(max_relative_error(s, std::vector<double>{.731059, .268941, 0, 0}) < 1e-6);
  // Key counts of a causal mask with lengths 3 and 4 over four positions: rows 1, 2, 3, 3 and 1, 2, 3, 4.
  const Tensor equal = Tensor::zeros({2, 1, 4, 4}, DType::f32);
  softmax_forward(equal, {.lengths = Tensor::from(std::vector<int32_t>{3, 4}), .causal = true, .mask = {}},
                  equal);
  const double third = 1.0 / 3;
  CHECK(max_relative_error(
            equal, std::vector<double>{1, 0,     0,     0,     .5,    .5, 0,   0,   third, third, third,
                                       0, third, third, third, 0,     1,  0,   0,   0,     .5,    .5,
                                       0, 0,     third, third, third, 0,  .25, .25, .25,   .25}) < 1e-6);
}

TEST_CASE("Softmax: the same bits at any thread count", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Tensor s = random_tensor({3, 4, 65, 65}, DType::f32, 1), p = poisoned({3, 4, 65, 65}, DType::f32);
    softmax_forward(s, {.lengths = {}, .causal = true, .mask = {}}, p);
    const Tensor ds = poisoned({3, 4, 65, 65}, DType::f32);
    softmax_backward(s, p, ds);
    return std::vector<Tensor>{p, ds};
  }));
}

TEST_CASE("Softmax: refuses masks of another shape or type", "[unit]") {
  const Tensor s = random_tensor({2, 1, 3, 4}, DType::f32, 1);
  const Tensor i32 = Tensor::from(std::vector<int32_t>{1, 2, 3});
  CHECK_THROWS_AS(softmax_forward(s, {.lengths = i32, .causal = false, .mask = {}}, s), Error);
  CHECK_THROWS_AS(softmax_forward(s, {.lengths = {}, .causal = false, .mask = i32}, s), Error);
  CHECK_THROWS_AS(softmax_forward(s, {}, poisoned({2, 1, 4, 3}, DType::f32)), Error);
  CHECK_THROWS_AS(softmax_backward(s, random_tensor({2, 1, 3, 4}, DType::f64, 1), s), Error);
}
