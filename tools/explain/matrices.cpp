#include "tools/explain/matrices.h"

#include <fmt/core.h>

#include <cmath>

namespace xf::tools::explain {

namespace {

// Four decimals; fewer digits for the very small and the large.
std::string number(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size < 5e-5) return fmt::format("{:.0e}", value);
  return size < 10 ? fmt::format("{:.4f}", value) : fmt::format("{:.5g}", value);
}

std::string element(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DType::i32) return std::to_string(tensor.data<int32_t>()[i]);
  return number(tensor.data<double>()[i]);
}

// Of matrix m, counted over the leading axes: "[1, 0]".
std::string index_of(const Shape& shape, int64_t m) {
  std::string text;
  for (int axis = shape.rank() - 3; axis >= 0; --axis) {
    text = fmt::format("{}{}{}", m % shape[axis], text.empty() ? "" : ", ", text);
    m /= shape[axis];
  }
  return text.empty() ? "" : "[" + text + "]";
}

}  // namespace

std::vector<Matrix> matrices(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  const int64_t width = shape.width(), height = shape.rank() < 2 ? 1 : shape[-2];
  std::vector<Matrix> all;
  for (int64_t first = 0; first < tensor.rows(); first += height) {
    Matrix matrix{index_of(shape, first / height), {}};
    for (int64_t row = first; row < first + height; ++row) {
      matrix.rows.emplace_back();
      for (int64_t i = row * width; i < (row + 1) * width; ++i)
        matrix.rows.back().push_back(element(tensor, i));
    }
    all.push_back(std::move(matrix));
  }
  return all;
}

}  // namespace xf::tools::explain
