#include "core/tensor.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/support/catch.h"

using namespace xf;

namespace {

// [rows, width] holding 0, 1, 2, ...
Tensor counting(int64_t rows, int64_t width) {
  std::vector<float> values(static_cast<size_t>(rows * width));
  std::iota(values.begin(), values.end(), 0.0f);
  return Tensor::from(values, {rows, width});
}

using Floats = std::vector<float>;

}  // namespace

TEST_CASE("Tensor: a copy of the handle shares the elements, which live until the last handle", "[unit]") {
  Tensor first = counting(2, 3);
  const Tensor second = first;
  second.data<float>()[4] = 40;
  CHECK(first.to_vector<float>() == Floats{0, 1, 2, 3, 40, 5});
  first = Tensor();
  CHECK_FALSE(first.defined());
  CHECK(second.to_vector<float>()[4] == 40);
}

TEST_CASE("Tensor: a view is the caller's memory, of constant elements too", "[unit]") {
  Floats values{0, 1, 2, 3, 4, 5};
  const Tensor view = Tensor::view(values.data(), {2, 3});
  CHECK(view.raw() == values.data());
  view.slice_rows(0, 1).fill_zero();
  CHECK(values == Floats{0, 0, 0, 3, 4, 5});
  const Floats& constant = values;
  const Tensor other = Tensor::view(constant.data() + 3, {3});
  CHECK(other.to_vector<float>() == Floats{3, 4, 5});
  CHECK(other.dtype() == DType::f32);
}

TEST_CASE("Tensor: slices of rows and columns are views", "[unit]") {
  const Tensor x = counting(4, 6);
  const Tensor rows = x.slice_rows(1, 3), columns = x.slice_columns(2, 4), both = rows.slice_columns(5, 6);
  CHECK(rows.shape() == Shape{2, 6});
  CHECK(rows.contiguous());
  CHECK(rows.to_vector<float>() == Floats{6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17});
  CHECK(columns.shape() == Shape{4, 2});
  CHECK(columns.row_stride() == 6);
  CHECK_FALSE(columns.contiguous());
  CHECK(columns.to_vector<float>() == Floats{2, 3, 8, 9, 14, 15, 20, 21});
  CHECK(both.to_vector<float>() == Floats{11, 17});
  CHECK(columns.slice_rows(2, 4).to_vector<float>() == Floats{14, 15, 20, 21});
  both.data<float>()[0] = -1;
  CHECK(x.to_vector<float>()[11] == -1);
}

TEST_CASE("Tensor: a slice of a vector is a vector", "[unit]") {
  const Tensor slice = Tensor::from(Floats{0, 1, 2, 3}).slice_rows(1, 3);
  CHECK(slice.shape() == Shape{2});
  CHECK(slice.contiguous());
  CHECK(slice.to_vector<float>() == Floats{1, 2});
  CHECK(slice.slice_rows(1, 2).to_vector<float>() == Floats{2});
}

TEST_CASE("Tensor: leading axes flatten into rows", "[unit]") {
  const Tensor x = counting(6, 4).reshape({2, 3, 4});
  CHECK(x.rows() == 6);
  CHECK(x.width() == 4);
  CHECK(x.dim(-1) == 4);
  CHECK(x.slice_rows(5, 6).to_vector<float>() == Floats{20, 21, 22, 23});
  CHECK(x.reshape({24}).rank() == 1);
}

TEST_CASE("Tensor: copies between strided rows", "[unit]") {
  const Tensor from = counting(3, 5), to = Tensor::zeros({3, 4}, DType::f32);
  to.slice_columns(1, 3).copy_from(from.slice_columns(3, 5));
  CHECK(to.to_vector<float>() == Floats{0, 3, 4, 0, 0, 8, 9, 0, 0, 13, 14, 0});
}

TEST_CASE("Tensor: misuse is refused with the numbers in question", "[unit]") {
  const Tensor x = counting(4, 6);
  CHECK_THROWS_WITH(x.data<double>(), "tensor: expected elements of f64, got f32");
  CHECK_THROWS_WITH(x.slice_rows(2, 5), "tensor: rows 2..5 are outside of [4, 6]");
  CHECK_THROWS_WITH(x.slice_columns(-1, 2), "tensor: columns -1..2 are outside of [4, 6]");
  CHECK_THROWS_WITH(x.reshape({5, 5}), "tensor: cannot reshape [4, 6] to [5, 5]");
  CHECK_THROWS_WITH(x.slice_columns(0, 2).reshape({8}), "tensor: cannot reshape a view of columns");
  CHECK_THROWS_WITH(Tensor::from(Floats{1, 2}, {3}), "tensor: 2 values do not fill shape [3]");
  CHECK_THROWS_WITH(x.copy_from(counting(6, 4)), "tensor: cannot copy f32 [6, 4] into f32 [4, 6]");
}

TEST_CASE("Tensor: a meta tensor has a shape and no memory", "[unit]") {
  const Tensor x = Tensor::empty({1 << 20, 1 << 20}, DType::f32, Device::meta());
  CHECK(x.bytes() == int64_t{4} << 40);
  CHECK(x.raw() == nullptr);
  CHECK(x.slice_rows(3, 5).shape() == Shape{2, 1 << 20});
  x.fill_zero();
}

TEST_CASE("Shape: five extents are refused, however they come", "[unit]") {
  CHECK(Shape::of({2, 3, 4, 5}) == Shape{2, 3, 4, 5});
  CHECK_THROWS_WITH(Shape::of({1, 2, 3, 4, 5}), Catch::Contains("shape: at most 4 axes, got 5"));
}

TEST_CASE("Shape: an empty tensor has no elements", "[unit]") {
  CHECK(Shape{0, 4}.numel() == 0);
  CHECK(Shape{0, 4}.rows() == 0);
  CHECK(Shape{3, 0}.rows() == 3);
  CHECK(Shape{2, 3}.to_string() == "[2, 3]");
  CHECK_FALSE(Shape{2, 3} == Shape{2, 3, 1});
}

// IEEE 754 round to nearest, ties to even; bf16 has 7 stored bits of fraction: 1 + 2^-7 is its
// neighbour of 1.
TEST_CASE("bf16: rounds to nearest even and keeps NaN and infinity", "[unit]") {
  const auto rounded = [](float value) { return static_cast<float>(bf16(value)); };
  CHECK(rounded(1.0f) == 1.0f);
  CHECK(rounded(1 + 0x1p-8f) == 1.0f);                   // halfway, to even: down
  CHECK(rounded(1 + 0x1p-7f + 0x1p-8f) == 1 + 0x1p-6f);  // halfway, to even: up
  CHECK(rounded(1 + 0x1p-8f + 0x1p-20f) == 1 + 0x1p-7f);
  CHECK(rounded(-1 - 0x1p-8f) == -1.0f);
  CHECK(rounded(std::numeric_limits<float>::max()) == std::numeric_limits<float>::infinity());
  CHECK(rounded(-std::numeric_limits<float>::infinity()) == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(rounded(std::numeric_limits<float>::quiet_NaN())));
  // a NaN whose upper half alone is infinity
  CHECK(std::isnan(rounded(std::bit_cast<float>(0x7f800001u))));
  CHECK(std::signbit(rounded(-0.0f)));
}
