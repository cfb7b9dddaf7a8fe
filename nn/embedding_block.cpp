#include "nn/embedding_block.h"

#include <cmath>

#include "kernels/sort.h"

namespace xf::nn {

namespace {

Init normal_of(int64_t dim) { return Init::normal(1.0f / std::sqrt(static_cast<float>(dim))); }

// EM4: the sum that a word's row gets, with places for words. No batch brings its tokens sorted by
// place, so that is done here, where the gradient is.
void add_position_gradient(autograd::Gradients& grad, const Tensor& positions,
                           const kernels::Dropout& dropout, Out dpositions) {
  const Tensor sorted = grad.arena().allocate(positions.shape(), DType::i32),
               order = grad.arena().allocate(positions.shape(), DType::i32);
  kernels::sort(positions, sorted, order);
  kernels::embedding_backward(grad.of_output(), positions, order, 1, dropout, dpositions);
}

}  // namespace

const Parameter& add_embedding_table(ParameterStore& store, const char* name, int64_t rows, int64_t dim) {
  const Parameter& table = store.add(name, {rows, dim}, normal_of(dim));
  store.mark_embedding_table(table);
  return table;
}

const Parameter* add_position_table(ParameterStore& store, const char* name,
                                    const TransformerConfig& config) {
  if (!config.learned_positions) return nullptr;
  return &store.add(name, {config.max_length, config.dim}, normal_of(config.dim));
}

Embedding::Embedding(ParameterStore& store, const std::string& name, const Parameter& table,
                     const Parameter* learned_positions, float dropout)
    : name_(name),
      table_(table),
      learned_positions_(learned_positions),
      dropout_(dropout),
      site_(store.new_dropout_site()) {}

Variable Embedding::forward(ForwardContext& context, const Tensor& ids, const Tensor& positions,
                            const Tensor& order, const Tensor& position_table, const Tokens& tokens) const {
  const int64_t D = table_.shape[1];
  const float scale = std::sqrt(static_cast<float>(D));
  const kernels::Dropout dropout = context.dropout(dropout_, site_, tokens);
  const Tensor& places = learned_positions_ ? learned_positions_->value : position_table;
  const Tensor x = context.allocate({ids.numel(), D}, places.dtype());
  if (table_.quantized.defined()) {
    kernels::quantized_embedding_forward(ids, positions, table_.quantized, places, scale, x);
  } else {
    kernels::embedding_forward(ids, positions, table_.value, places, scale, dropout, x);
  }
  context.show(name_, "EM1", "x", x);
  return context.tape.record(name_, x, {}, [=, this](autograd::Gradients& grad) {
    kernels::embedding_backward(grad.of_output(), ids, order, scale, dropout, table_.gradient);
    if (learned_positions_) add_position_gradient(grad, positions, dropout, learned_positions_->gradient);
  });
}

}  // namespace xf::nn
