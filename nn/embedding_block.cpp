#include "nn/embedding_block.h"

#include <cmath>

namespace xf::nn {

const Parameter& add_embedding_table(Registry& registry, const char* name, int64_t rows, int64_t dim) {
  return registry.add(name, {rows, dim}, Init::normal(1.0f / std::sqrt(static_cast<float>(dim))));
}

Embedding::Embedding(Registry& registry, const std::string& name, const Parameter& table, float dropout)
    : name_(name), table_(table), dropout_(dropout), site_(registry.new_dropout_site()) {}

Variable Embedding::forward(Step& step, const Tensor& ids, const Tensor& positions, const Tensor& order,
                            const Tensor& position_table, const Tokens& tokens) const {
  const int64_t D = table_.shape[1];
  const float scale = std::sqrt(static_cast<float>(D));
  const kernels::Dropout dropout = step.dropout(dropout_, site_, tokens);
  const Tensor x = step.allocate({ids.numel(), D}, table_.value.dtype());
  kernels::embedding_forward(ids, positions, table_.value, position_table, scale, dropout, x);
  step.show(name_, "EM1", "x", x);
  return step.tape.record(name_, x, {}, [=, this](autograd::Gradients& grad) {
    kernels::embedding_backward(grad.of_output(), ids, order, scale, dropout, table_.gradient);
  });
}

}  // namespace xf::nn
