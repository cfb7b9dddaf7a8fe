// Expectations: Philox one element at a time (kernels/dropout.h, whose generator has its own known-answer
// test), and the binomial distribution.
#include "kernels/dropout.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/cases/dropout.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

TEST_CASE("Dropout: every element is what its counter says, in place and through views", "[unit]") {
  for (const auto& c : dropout_cases()) {
    INFO(c.reason);
    const Dropout dropout = test_dropout(0.3f, 77);
    const auto values = random_values(c.N * c.D, 1);
    std::vector<double> expected;
    for (int64_t n = 0; n < c.N; ++n) {
      for (int64_t i = 0; i < c.D; ++i)
        expected.push_back(values[n * c.D + i] * dropout_factor(dropout, n, i));
    }
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Tensor x = poisoned({c.N, c.D + 3}, dtype).slice_columns(1, c.D + 1),
                   y = poisoned({c.N, c.D}, dtype);
      x.copy_from(tensor_of(values, {c.N, c.D}, dtype));
      kernels::dropout(x, dropout, y);
      CHECK(max_relative_error(y, expected) < 1e-7);
      kernels::dropout(x, dropout, x);
      CHECK(same_bits(x, y));
    }
  }
}

TEST_CASE("Dropout: a batch cut in two drops the same elements", "[unit]") {
  const Tensor x = random_tensor({40, 129}, DType::f32, 1), whole = poisoned({40, 129}, DType::f32);
  const Tensor parts = poisoned({40, 129}, DType::f32);
  kernels::dropout(x, test_dropout(0.5f, 100), whole);
  kernels::dropout(x.slice_rows(0, 13), test_dropout(0.5f, 100), parts.slice_rows(0, 13));
  kernels::dropout(x.slice_rows(13, 40), test_dropout(0.5f, 113), parts.slice_rows(13, 40));
  CHECK(same_bits(whole, parts));
}

TEST_CASE("Dropout: drops the share p, and differs between sites and updates", "[unit]") {
  const int64_t N = 200, D = 512;  // sd of the share: sqrt(p (1-p) / (N D)) = 0.0009 at p = 0.1
  const Tensor ones = tensor_of(std::vector<double>(static_cast<size_t>(N * D), 1.0), {N, D}, DType::f32);
  const auto mask = [&](Dropout dropout) {
    const Tensor y = poisoned({N, D}, DType::f32);
    kernels::dropout(ones, dropout, y);
    return y.to_vector<float>();
  };
  Dropout dropout = test_dropout(0.1f, 0);
  const auto first = mask(dropout);
  CHECK(static_cast<double>(std::count(first.begin(), first.end(), 0.0f)) / static_cast<double>(N * D) ==
        Approx(0.1).margin(0.005));
  dropout.site += 1;
  CHECK(mask(dropout) != first);
  dropout.site -= 1;
  dropout.counter = Tensor::from(std::vector<int32_t>{12, 0});
  CHECK(mask(dropout) != first);
}

TEST_CASE("Dropout: p = 0 copies, and needs no counter", "[unit]") {
  const Tensor x = random_tensor({5, 33}, DType::f32, 1), y = poisoned({5, 33}, DType::f32);
  kernels::dropout(x, {}, y);
  CHECK(same_bits(x, y));
}

TEST_CASE("Dropout: the same bits at one and two threads", "[unit]") {
  const Tensor x = random_tensor({700, 129}, DType::f32, 1);
  CHECK(same_bits_at_any_thread_count([&] {
    const Tensor y = poisoned({700, 129}, DType::f32);
    kernels::dropout(x, test_dropout(0.1f), y);
    return std::vector<Tensor>{y};
  }));
}

TEST_CASE("Dropout: refuses a p below 0 or not below 1 and an output of another shape", "[unit]") {
  const Tensor x = random_tensor({5, 3}, DType::f32, 1);
  CHECK_THROWS_AS(kernels::dropout(x, test_dropout(1.0f, 0), x), Error);
  CHECK_THROWS_AS(kernels::dropout(x, test_dropout(-0.1f, 0), x), Error);
  CHECK_THROWS_AS(kernels::dropout(x, {}, poisoned({3, 5}, DType::f32)), Error);
}
