#include "tools/formats/position_order.h"

#include <string_view>

#include "core/error.h"

namespace xf::tools::exchange {

namespace {

// Interleaved place of what comes to place j: sines, which were the even ones, first.
int64_t place_before(int64_t j, int64_t dim) { return j < dim / 2 ? 2 * j : 2 * j - dim + 1; }

Tensor reordered_columns(const Tensor& matrix) {
  const Tensor result = Tensor::empty(matrix.shape(), DType::f32);
  const int64_t width = matrix.width();
  const auto* from = matrix.data<float>();
  auto* to = result.data<float>();
  for (int64_t i = 0; i < matrix.rows(); ++i) {
    for (int64_t j = 0; j < width; ++j) to[i * width + j] = from[i * width + place_before(j, width)];
  }
  return result;
}

// Of a vector, its elements.
Tensor reordered_rows(const Tensor& tensor) {
  const int64_t rows = tensor.dim(0), width = tensor.numel() / rows;
  const Tensor result = Tensor::empty(tensor.shape(), DType::f32);
  for (int64_t i = 0; i < rows; ++i)
    std::memcpy(result.data<float>() + i * width, tensor.data<float>() + place_before(i, rows) * width,
                static_cast<size_t>(width) * sizeof(float));
  return result;
}

enum class Axis { none, columns, rows };

// Which axis of a parameter is the model's dimension: what reads the stream has it as columns, what
// writes it as rows.
Axis axis_of(std::string_view name) {
  for (const char* reads : {"embedding.weight", "qkv.weight", ".q.weight", "cross_kv.weight",
                            "feed_forward.in.weight", "output.weight"})
    if (name.ends_with(reads)) return Axis::columns;
  for (const char* writes : {".out.weight", ".out.bias", "norm.weight", "norm.bias"})
    if (name.ends_with(writes)) return Axis::rows;
  return Axis::none;
}

}  // namespace

ExchangedModel with_split_positions(const ExchangedModel& model) {
  XF_CHECK(!model.config.learned_positions, "split positions: those of {} are learnt", model.where);
  if (model.config.positions == kernels::PositionLayout::split) return model;
  ExchangedModel result = model;
  result.config.positions = kernels::PositionLayout::split;
  for (auto& [name, tensor] : result.tensors) {
    const Axis axis = axis_of(name);
    if (axis == Axis::columns) tensor = reordered_columns(tensor);
    if (axis == Axis::rows) tensor = reordered_rows(tensor);
  }
  return result;
}

}  // namespace xf::tools::exchange
