#include "tools/tutorials/model/embedding.h"

#include <cmath>

#include "autograd/ops.h"
#include "kernels/elementwise.h"
#include "kernels/sort.h"

namespace xf::nn::quirks {

namespace {

template <typename T>
void write_table(PositionExponent exponent, const Tensor& table) {
  const int64_t D = table.width();
  for (int64_t p = 0; p < table.rows(); ++p) {
    for (int64_t i = 0; i < D / 2; ++i) {
      const double angle = static_cast<double>(p) / position_divisor(exponent, i, D);
      table.data<T>()[p * D + 2 * i] = static_cast<T>(std::sin(angle));
      table.data<T>()[p * D + 2 * i + 1] = static_cast<T>(std::cos(angle));
    }
  }
}

float scale_of(const Config& config) {
  const float root = std::sqrt(static_cast<float>(config.dim));
  switch (config.quirks.embedding_scale) {
    case EmbeddingScale::sqrt_dim: return root;
    case EmbeddingScale::none: return 1;
    case EmbeddingScale::inverse_sqrt_dim: return 1 / root;
  }
  return 1;
}

Init table_init(int64_t vocabulary, const Config& config) {
  return config.quirks.init == InitScheme::torch_default
             ? Init::normal(1)
             : weight_init(config.quirks.init, config.dim, vocabulary);
}

// i32 [B, S, D] of ids [B, S]: whether the id is padding, for each element of its row, or whether
// it is not.
Tensor id_mask(const Tensor& ids, int64_t D, int32_t pad, bool is_pad) {
  const Tensor mask = Tensor::empty({ids.dim(0), ids.dim(1), D}, DType::i32);
  for (int64_t n = 0; n < mask.numel(); ++n)
    mask.data<int32_t>()[n] = (ids.data<int32_t>()[n / D] == pad) == is_pad ? 1 : 0;
  return mask;
}

// i32, shaped like x: 0 where x is.
template <typename T>
Tensor zero_mask(const Tensor& x) {
  const Tensor mask = Tensor::empty(x.shape(), DType::i32);
  for (int64_t n = 0; n < x.numel(); ++n) mask.data<int32_t>()[n] = x.data<T>()[n] != 0 ? 1 : 0;
  return mask;
}

// [S, D] for each of B sentences. -> [B, S, D]
Tensor repeated(const Tensor& rows, int64_t B) {
  const Tensor all = Tensor::empty({B, rows.rows(), rows.width()}, rows.dtype());
  for (int64_t b = 0; b < B; ++b) kernels::copy(rows, all.slice_rows(b * rows.rows(), (b + 1) * rows.rows()));
  return all;
}

}  // namespace

double position_divisor(PositionExponent exponent, int64_t i, int64_t dim) {
  const auto pair = static_cast<double>(2 * i), D = static_cast<double>(dim);
  switch (exponent) {
    case PositionExponent::correct: return std::pow(10000.0, pair / D);
    case PositionExponent::doubled: return std::pow(10000.0, 2 * pair / D);
    case PositionExponent::divided_outside:
      return static_cast<double>(std::pow(10000.0f, static_cast<float>(pair))) / D;
  }
  return 1;
}

Tensor position_table(PositionExponent exponent, Shape shape, DType dtype) {
  const Tensor table = Tensor::empty(shape, dtype);
  if (exponent == PositionExponent::correct) {
    kernels::sinusoid_positions(kernels::PositionLayout::interleaved, table);
  } else if (dtype == DType::f64) {
    write_table<double>(exponent, table);
  } else {
    write_table<float>(exponent, table);
  }
  return table;
}

Embedding::Embedding(ParameterStore& store, const std::string& name, int64_t vocabulary, int32_t pad,
                     const Config& config)
    : name_(name),
      config_(config),
      pad_(pad),
      site_(store.new_dropout_site()),
      table_(store.add(name + ".weight", {vocabulary, config.dim}, table_init(vocabulary, config))),
      positions_(
          position_table(config.quirks.position_exponent, {config.max_length, config.dim}, store.dtype())) {}

void Embedding::clear_pad_row(const ParameterStore& store) const {
  if (!config_.quirks.zero_pad_row) return;
  store.set(table_, Tensor::zeros({1, table_.shape[1]}, store.masters().dtype()), pad_ * table_.shape[1]);
}

Variable Embedding::tokens(const ForwardContext& context, const Tensor& ids) const {
  const int64_t N = ids.numel(), D = table_.shape[1];
  const Tensor flat = ids.reshape({N}), sorted = Tensor::empty({N}, DType::i32),
               order = Tensor::empty({N}, DType::i32);
  kernels::sort(flat, sorted, order);
  const Tensor nowhere = Tensor::zeros({1, D}, table_.value.dtype());
  const Variable rows = autograd::embedding(context.tape, flat, Tensor::zeros({N}, DType::i32), order,
                                            leaf(context, table_), nowhere, scale_of(config_), {});
  return autograd::reshape(context.tape, rows, {ids.dim(0), ids.dim(1), D});
}

Variable Embedding::without_pad_gradient(const ForwardContext& context, const Tensor& ids,
                                         const Variable& x) const {
  const Tensor value = x.value(), padding = Tensor::empty(value.shape(), value.dtype());
  const Tensor is_pad = id_mask(ids, value.width(), pad_, true),
               is_token = id_mask(ids, value.width(), pad_, false);
  kernels::masked_fill(value, is_pad, 0, padding);
  return autograd::add(context.tape, autograd::masked_fill(context.tape, x, is_token, 0), padding);
}

Variable Embedding::forward(const ForwardContext& context, const Tensor& ids, const Tensor& counter,
                            int64_t first) const {
  XF_CHECK(ids.rank() == 2 && first + ids.dim(1) <= positions_.rows(),
           "quirks: ids must be [B, S] and end at most at the {} of max_length, got {} from position {}",
           positions_.rows(), ids.shape().to_string(), first);
  context.show(name_, "EM1", "ids", ids);
  Variable x = shown(context, name_, "EM1", "tokens", tokens(context, ids));
  if (config_.quirks.freeze_pad_row) x = without_pad_gradient(context, ids, x);
  context.show(name_, "EM3", "table", positions_);
  const Tensor rows = positions_.slice_rows(first, first + ids.dim(1));
  context.show(name_, "EM3", "positions", rows);
  const Tensor positions = repeated(rows, ids.dim(0));
  if (!config_.quirks.positions_of_zeros) {
    const bool is_f64 = positions.dtype() == DType::f64;
    const Tensor mask = is_f64 ? zero_mask<double>(x.value()) : zero_mask<float>(x.value());
    kernels::masked_fill(positions, mask, 0, positions);
  }
  const Variable sum = shown(context, name_, "EM1", "sum", autograd::add(context.tape, x, positions));
  return shown(context, name_, "DR2", "x", drop(context, sum, config_.dropout, site_, counter));
}

}  // namespace xf::nn::quirks
