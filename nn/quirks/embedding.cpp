#include "nn/quirks/embedding.h"

#include <cmath>

#include "autograd/ops.h"
#include "kernels/elementwise.h"
#include "kernels/sort.h"

namespace xf::nn::quirks {

namespace {

template <typename T>
void write_doubled(const Tensor& table) {
  const int64_t D = table.width();
  for (int64_t p = 0; p < table.rows(); ++p) {
    for (int64_t i = 0; i < D / 2; ++i) {
      const double exponent = static_cast<double>(4 * i) / static_cast<double>(D);
      const double angle = static_cast<double>(p) / std::pow(10000.0, exponent);
      table.data<T>()[p * D + 2 * i] = static_cast<T>(std::sin(angle));
      table.data<T>()[p * D + 2 * i + 1] = static_cast<T>(std::cos(angle));
    }
  }
}

// The rows of the table that each id asks for, without a position. -> [B * S, D]
Variable look_up(const Step& step, const Tensor& ids, const Variable& table, float scale) {
  const int64_t N = ids.numel();
  const Tensor flat = ids.reshape({N}), sorted = Tensor::empty({N}, DType::i32),
               order = Tensor::empty({N}, DType::i32);
  kernels::sort(flat, sorted, order);
  const Tensor nowhere = Tensor::zeros({1, table.value().width()}, table.value().dtype());
  return autograd::embedding(step.tape, flat, Tensor::zeros({N}, DType::i32), order, table, nowhere, scale,
                             {});
}

// [S, D] for each of B sentences. -> [B, S, D]
Tensor repeated(const Tensor& rows, int64_t B) {
  const Tensor all = Tensor::empty({B, rows.rows(), rows.width()}, rows.dtype());
  for (int64_t b = 0; b < B; ++b) kernels::copy(rows, all.slice_rows(b * rows.rows(), (b + 1) * rows.rows()));
  return all;
}

}  // namespace

Tensor position_table(PositionExponent exponent, Shape shape, DType dtype) {
  const Tensor table = Tensor::empty(shape, dtype);
  if (exponent == PositionExponent::correct) {
    kernels::sinusoid_positions(kernels::PositionLayout::interleaved, table);
  } else if (dtype == DType::f64) {
    write_doubled<double>(table);
  } else {
    write_doubled<float>(table);
  }
  return table;
}

Embedding::Embedding(Registry& registry, const std::string& name, int64_t vocabulary, const Config& config)
    : name_(name),
      dropout_(config.dropout),
      scale_(config.quirks.scaled_embeddings ? std::sqrt(static_cast<float>(config.dim)) : 1),
      site_(registry.new_dropout_site()),
      table_(registry.add(name + ".weight", {vocabulary, config.dim}, Init::normal(1))),
      positions_(position_table(config.quirks.position_exponent, {config.max_length, config.dim},
                                registry.dtype())) {}

Variable Embedding::forward(const Step& step, const Tensor& ids, const Tensor& counter) const {
  XF_CHECK(ids.rank() == 2 && ids.dim(1) <= positions_.rows(),
           "quirks: ids must be [B, S] with S at most the {} of max_length, got {}", positions_.rows(),
           ids.shape().to_string());
  const int64_t B = ids.dim(0), S = ids.dim(1), D = table_.shape[1];
  step.show(name_, "EM1", "ids", ids);
  const Variable rows = look_up(step, ids, leaf(step, table_), scale_);
  const Variable tokens = shown(step, name_, "EM1", "tokens", autograd::reshape(step.tape, rows, {B, S, D}));
  step.show(name_, "EM3", "table", positions_);
  const Tensor positions = positions_.slice_rows(0, S);
  step.show(name_, "EM3", "positions", positions);
  const Variable sum =
      shown(step, name_, "EM1", "sum", autograd::add(step.tape, tokens, repeated(positions, B)));
  return shown(step, name_, "DR2", "x", drop(step, sum, dropout_, site_, counter));
}

}  // namespace xf::nn::quirks
