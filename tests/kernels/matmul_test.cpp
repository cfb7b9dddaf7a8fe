// Expectation: the triple loop in f64 (tests/cases/matmul.h).
#include "kernels/matmul.h"

#include <catch2/catch.hpp>

#include "core/parallel.h"
#include "tests/cases/matmul.h"
#include "tests/support/compare.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

// The columns 2 .. width+1 of a NaN-filled wider matrix: neighbours must be neither read nor written.
Tensor as_view(const std::vector<double>& values, int64_t rows, int64_t width, DType dtype) {
  const Tensor view = poisoned({rows, width + 5}, dtype).slice_columns(2, width + 2);
  view.copy_from(tensor_of(values, {rows, width}, dtype));
  return view;
}

}  // namespace

TEST_CASE("Matmul: all transposes, written and accumulated, on views, agree with the definition", "[unit]") {
  for (const auto& c : matmul_cases()) {
    for (int mode = 0; mode < 8; ++mode) {
      const bool ta = mode & 1, tb = mode & 2, accumulate = mode & 4;
      INFO(c.reason << ", transposes " << ta << tb << ", accumulate " << accumulate);
      const auto a = random_values(c.M * c.K, 1), b = random_values(c.K * c.N, 2),
                 start = random_values(c.M * c.N, 3);
      const auto expected = matmul_reference(
          c, a, ta, b, tb, accumulate ? start : std::vector<double>(static_cast<size_t>(c.M * c.N), 0.0));
      for (const DType dtype : {DType::f32, DType::f64}) {
        const Tensor out = accumulate ? as_view(start, c.M, c.N, dtype)
                                      : poisoned({c.M, c.N + 5}, dtype).slice_columns(2, c.N + 2);
        matmul(ta ? as_view(a, c.K, c.M, dtype) : as_view(a, c.M, c.K, dtype),
               ta ? Transpose::yes : Transpose::no,
               tb ? as_view(b, c.N, c.K, dtype) : as_view(b, c.K, c.N, dtype),
               tb ? Transpose::yes : Transpose::no, accumulate ? Accumulate::yes : Accumulate::no, out);
        CHECK(max_relative_error(out, expected) < tolerance(dtype));
      }
    }
  }
}

TEST_CASE("Matmul: writes nothing outside of a view", "[unit]") {
  const Tensor wide = tensor_of(std::vector<double>(4 * 9, 7.0), {4, 9}, DType::f32);
  matmul(random_tensor({4, 3}, DType::f32, 1), Transpose::no, random_tensor({3, 5}, DType::f32, 2),
         Transpose::no, Accumulate::no, wide.slice_columns(2, 7));
  for (const auto& side : {wide.slice_columns(0, 2), wide.slice_columns(7, 9)}) {
    CHECK(as_doubles(side) == std::vector<double>(8, 7.0));
  }
}

TEST_CASE("Matmul: f64 gives the same bits at one and two threads, f32 the same bits twice", "[unit]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto run = [&](int threads) {
      set_thread_count(threads);
      const Tensor c = poisoned({129, 127}, dtype);
      matmul(random_tensor({129, 65}, dtype, 1), Transpose::no, random_tensor({127, 65}, dtype, 2),
             Transpose::yes, Accumulate::no, c);
      set_thread_count(0);
      return c;
    };
    CHECK(same_bits(run(2), run(2)));
    if (dtype == DType::f64) CHECK(same_bits(run(1), run(2)));
  }
}

TEST_CASE("Matmul: empty results are left alone", "[unit]") {
  const Tensor b = random_tensor({3, 5}, DType::f32, 1);
  CHECK_NOTHROW(matmul(Tensor::empty({0, 3}, DType::f32), Transpose::no, b, Transpose::no, Accumulate::no,
                       Tensor::empty({0, 5}, DType::f32)));
}

TEST_CASE("Matmul: refuses sizes and types that do not fit together", "[unit]") {
  const Tensor a = random_tensor({4, 3}, DType::f32, 1), b = random_tensor({3, 5}, DType::f32, 2);
  const Tensor c = poisoned({4, 5}, DType::f32);
  CHECK_THROWS_AS(matmul(a, Transpose::yes, b, Transpose::no, Accumulate::no, c), Error);
  CHECK_THROWS_AS(matmul(a, Transpose::no, b, Transpose::yes, Accumulate::no, c), Error);
  CHECK_THROWS_AS(matmul(a, Transpose::no, b, Transpose::no, Accumulate::no, poisoned({5, 4}, DType::f32)),
                  Error);
  CHECK_THROWS_AS(matmul(a, Transpose::no, b, Transpose::no, Accumulate::no, poisoned({4, 5}, DType::f64)),
                  Error);
}
