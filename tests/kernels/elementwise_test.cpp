// Expectation: each op's one-line definition in f64.
#include "kernels/elementwise.h"

#include <catch2/catch.hpp>

#include "tests/cases/elementwise.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

Tensor as_view(const std::vector<double>& values, const RowsCase& c, DType dtype) {
  const Tensor view = poisoned({c.N, c.D + 4}, dtype).slice_columns(3, c.D + 3);
  view.copy_from(tensor_of(values, {c.N, c.D}, dtype));
  return view;
}

}  // namespace

TEST_CASE("Elementwise: add, bias, scale and row sums agree with their definitions, on views", "[unit]") {
  for (const auto& c : rows_cases()) {
    INFO(c.reason);
    const auto x = random_values(c.N * c.D, 1), y = random_values(c.N * c.D, 2), bias = random_values(c.D, 3);
    std::vector<double> added, biased, scaled, sum = bias;
    for (int64_t i = 0; i < c.N * c.D; ++i) {
      added.push_back(x[i] + y[i]);
      biased.push_back(y[i] + bias[i % c.D]);
      scaled.push_back(-1.5 * x[i]);
      sum[i % c.D] += x[i];
    }
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Tensor to = as_view(y, c, dtype), from = as_view(x, c, dtype),
                   vector = tensor_of(bias, {c.D}, dtype);
      add_in_place(from, to);
      CHECK(max_relative_error(to, added) < tolerance(dtype));
      to.copy_from(tensor_of(y, {c.N, c.D}, dtype));
      add_bias(vector, to);
      CHECK(max_relative_error(to, biased) < tolerance(dtype));
      scale(from, -1.5f, to);
      CHECK(max_relative_error(to, scaled) < tolerance(dtype));
      sum_rows(from, vector);
      CHECK(max_relative_error(vector, sum) < tolerance(dtype));
      scale(from, -1.5f, from);
      CHECK(same_bits(from, to));
    }
  }
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
}
