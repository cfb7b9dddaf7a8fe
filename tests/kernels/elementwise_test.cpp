// Expectation: each op's one-line definition in f64, of the tensors' own (rounded) elements.
#include "kernels/elementwise.h"

#include "kernels/embedding.h"
#include "tests/cases/elementwise.h"
#include "tests/support/catch.h"
#include "tests/support/odd_view.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

enum class Layout { dense, unaligned, strided };

// A matrix, inside of `memory` where it is a view.
struct Placed {
  Tensor memory, view;
};
Placed placed(const Target& t, const std::vector<double>& values, const RowsCase& c, Layout layout) {
  const Tensor dense = t.tensor(values, {c.N, c.D});
  if (layout == Layout::dense) return {dense, dense};
  if (layout == Layout::unaligned) return {dense, odd_view(dense)};
  const Tensor memory = t.poisoned({c.N, c.D + 4}), view = memory.slice_columns(3, c.D + 3);
  view.copy_from(dense);
  return {memory, view};
}

template <typename Body>
void for_every_case(const Body& body) {
  for (const Target& t : targets()) {
    for (const RowsCase& c : rows_cases()) {
      for (const Layout layout : {Layout::dense, Layout::unaligned, Layout::strided}) {
        if (c.N > 65535 && layout != Layout::strided) continue;  // a matrix without gaps is one row
        INFO(c.reason << ", " << name_of(t) << ", layout " << static_cast<int>(layout));
        body(t, c, layout);
      }
    }
  }
}

int64_t count_nan(const Tensor& tensor) {
  int64_t count = 0;
  for (const double value : as_doubles(tensor)) count += std::isnan(value);
  return count;
}

}  // namespace

TEST_CASE("Elementwise: add, bias, scale and move_towards agree with their definitions, on views",
          "[unit][device]") {
  for_every_case([](const Target& t, const RowsCase& c, Layout layout) {
    const Placed from = placed(t, random_values(c.N * c.D, 1), c, layout),
                 to = placed(t, random_values(c.N * c.D, 2), c, layout);
    const Tensor bias = t.random({c.D}, 3);
    const auto x = as_doubles(from.view), y = as_doubles(to.view), b = as_doubles(bias);
    std::vector<double> added, biased, scaled;
    for (int64_t i = 0; i < c.N * c.D; ++i) {
      added.push_back(x[i] + y[i]);
      biased.push_back(y[i] + b[i % c.D]);
      scaled.push_back(-1.5 * x[i]);
    }
    const Tensor kept = t.tensor(y, {c.N, c.D});
    add_in_place(from.view, to.view);
    CHECK(max_relative_error(to.view, added) < t.forward_tolerance());
    to.view.copy_from(kept);
    add_bias(bias, to.view);
    CHECK(max_relative_error(to.view, biased) < t.forward_tolerance());
    to.view.copy_from(kept);
    std::vector<double> moved;
    for (size_t i = 0; i < x.size(); ++i) moved.push_back(y[i] + 0.25 * (x[i] - y[i]));
    move_towards(from.view, t.sums({0.25}, {1}), to.view);
    CHECK(max_relative_error(to.view, moved) < t.forward_tolerance());
    scale(from.view, -1.5f, to.view);
    CHECK(max_relative_error(to.view, scaled) < t.forward_tolerance());
    scale(from.view, -1.5f, from.view);
    CHECK(same_bits(from.view, to.view));
    to.view.copy_from(kept);
    const Tensor alpha = t.sums({-1.5}, {1});
    scale(to.view, alpha, to.view);
    scale(t.tensor(y, {c.N, c.D}), -1.5f, kept);
    CHECK(same_bits(to.view, kept));
    // nothing written beside the view
    if (layout == Layout::strided) CHECK(count_nan(to.memory) == 4 * c.N);
  });
}

TEST_CASE("Elementwise: copy and zero reach every element of a view and none beside it", "[unit][device]") {
  for_every_case([](const Target& t, const RowsCase& c, Layout layout) {
    const Placed from = placed(t, random_values(c.N * c.D, 1), c, layout);
    const std::vector<double> nan(static_cast<size_t>(c.N * c.D), std::nan(""));
    const Placed to = placed(t, nan, c, layout);
    kernels::copy(from.view, to.view);
    CHECK(same_bits(to.view, from.view));
    fill_zero(to.view);
    CHECK((as_doubles(to.view) == std::vector<double>(nan.size(), 0.0)));  // ((: not to be printed
    if (layout == Layout::strided) CHECK(count_nan(to.memory) == 4 * c.N);
  });
}

TEST_CASE("Elementwise: masked_fill keeps what the mask allows, and the value stands everywhere else",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const RowsCase& c : rows_cases()) {
      INFO(c.reason << ", " << name_of(t));
      const Tensor x = t.random({c.N, c.D}, 1), y = t.poisoned({c.N, c.D});
      std::vector<int32_t> allowed;
      for (const double value : random_values(c.N * c.D, 2)) allowed.push_back(value > 0);
      const Tensor mask = Tensor::from(allowed, {c.N, c.D}).to(x.device());
      std::vector<double> expected = as_doubles(x);
      for (size_t i = 0; i < expected.size(); ++i) expected[i] = allowed[i] != 0 ? expected[i] : -8192;
      masked_fill(x, mask, -8192, y);  // a number that bf16 has
      CHECK(as_doubles(y) == expected);
      masked_fill(x, mask, -8192, x);
      CHECK(same_bits(x, y));
    }
  }
}

TEST_CASE("Elementwise: gather_rows takes the rows that are named, and zero where none is",
          "[unit][device]") {
  for_every_case([](const Target& t, const RowsCase& c, Layout layout) {
    const Placed from = placed(t, random_values(c.N * c.D, 1), c, layout);
    const std::vector<double> nan(static_cast<size_t>(c.N * c.D), std::nan(""));
    const Placed to = placed(t, nan, c, layout);
    const std::vector<double> x = as_doubles(from.view);
    std::vector<int32_t> rows;
    std::vector<double> expected;
    for (int64_t n = 0; n < c.N; ++n) {
      const int64_t m = n % 3 == 1 ? kEmptyPlace : (n * n + 5) % c.N;
      rows.push_back(static_cast<int32_t>(m));
      for (int64_t i = 0; i < c.D; ++i) expected.push_back(m < 0 ? 0 : x[static_cast<size_t>(m * c.D + i)]);
    }
    gather_rows(from.view, t.ids(rows), to.view);
    CHECK((as_doubles(to.view) == expected));
    if (layout == Layout::strided) CHECK(count_nan(to.memory) == 4 * c.N);
  });
}

TEST_CASE("Elementwise: a row that is not there is an error on the CPU, on CUDA zero", "[unit][device]") {
  for (const Target& t : targets()) {
    const Tensor x = t.random({3, 4}, 1), y = t.poisoned({2, 4});
    for (const int32_t row : {3, -2}) {
      const Tensor rows = t.ids({2, row});
      if (t.device == Device::cpu()) {
        CHECK_THROWS_WITH(gather_rows(x, rows, y),
                          fmt::format("gather_rows: row {} at index 1 is outside of the 3 rows", row));
      } else {
        gather_rows(x, rows, y);
        CHECK(as_doubles(y.slice_rows(1, 2)) == std::vector<double>{0, 0, 0, 0});
      }
    }
  }
}

TEST_CASE("Elementwise: row sums agree with their definition, and do not depend on where the rows lie",
          "[unit][device]") {
  for_every_case([](const Target& t, const RowsCase& c, Layout layout) {
    const Placed from = placed(t, random_values(c.N * c.D, 1), c, layout);
    const auto x = as_doubles(from.view), before = random_values(c.D, 3);
    auto expected = before;
    for (int64_t i = 0; i < c.N * c.D; ++i) expected[i % c.D] += x[i];
    const Tensor sum = t.sums(before, {c.D}), again = t.sums(before, {c.D});
    sum_rows(from.view, sum);
    CHECK(max_relative_error(sum, expected) < t.forward_tolerance());
    sum_rows(t.tensor(x, {c.N, c.D}), again);
    CHECK(same_bits(sum, again));
  });
}

TEST_CASE("Elementwise: row sums have the same bits at one and two threads", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Tensor sum = Tensor::zeros({257}, DType::f32);
    sum_rows(random_tensor({1000, 257}, DType::f32, 1), sum);
    return std::vector<Tensor>{sum};
  }));
}

TEST_CASE("Elementwise: refuses shapes and types that do not fit together", "[unit]") {
  const Tensor x = random_tensor({3, 4}, DType::f32, 1), y = poisoned({4, 3}, DType::f32);
  CHECK_THROWS_AS(add_in_place(x, y), Error);
  CHECK_THROWS_AS(add_bias(random_tensor({3}, DType::f32, 1), x), Error);
  CHECK_THROWS_AS(sum_rows(x, poisoned({3}, DType::f32)), Error);
  CHECK_THROWS_AS(scale(x, 2, poisoned({3, 4}, DType::f64)), Error);
  CHECK_THROWS_AS(masked_fill(x, Tensor::zeros({4, 3}, DType::i32), 0, poisoned({3, 4}, DType::f32)), Error);
  CHECK_THROWS_AS(masked_fill(x, x, 0, poisoned({3, 4}, DType::f32)), Error);
  CHECK_THROWS_AS(gather_rows(x, Tensor::zeros({2}, DType::i32), poisoned({3, 4}, DType::f32)), Error);
  CHECK_THROWS_AS(gather_rows(x, poisoned({3}, DType::f32), poisoned({3, 4}, DType::f32)), Error);
  CHECK_THROWS_AS(scale(x, poisoned({2}, DType::f32), poisoned({3, 4}, DType::f32)), Error);
  CHECK_THROWS_AS(move_towards(x, poisoned({1}, DType::f32), y), Error);
  CHECK_THROWS_AS(scale(x, poisoned({1}, DType::f64), poisoned({3, 4}, DType::f32)), Error);
}
