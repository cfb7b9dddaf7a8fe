#include "nn/output_block.h"

#include <algorithm>

#include "autograd/ops.h"
#include "kernels/linear.h"
#include "kernels/top_k.h"

namespace xf::nn {

namespace {

// Of a weight [V, D]; none where nothing is padded.
kernels::PaddedProjection room_for_padding(ForwardContext& context, const Tensor& x, const Shape& weight) {
  const int64_t words = kernels::padded_vocabulary(weight[0], x.dtype(), x.device());
  if (words == weight[0]) return {};
  return {.w = context.allocate({words, weight[1]}, x.dtype()), .bias = context.allocate({words}, x.dtype())};
}

// In the order of the loss's rows, which is that of the tokens unless the batch says otherwise.
Variable loss_rows(ForwardContext& context, const Variable& x, const PackedBatch& batch) {
  if (!batch.loss_row_to_token.defined()) return x;
  return autograd::gather_rows(context.tape, x, batch.loss_row_to_token, batch.token_to_loss_row);
}

}  // namespace

const Parameter& add_output_weight(ParameterStore& store, const TransformerConfig& config,
                                   const Parameter& target_table) {
  if (config.tying != Tying::none) return target_table;
  return store.add("output.weight", {config.target_vocabulary, config.dim},
                   Init::xavier(config.dim, config.target_vocabulary));
}

Output::Output(ParameterStore& store, const Parameter& weight, float label_smoothing)
    : weight_(weight),
      bias_(store.add("output.bias", {weight.shape[0]}, Init::zeros())),
      label_smoothing_(label_smoothing) {
  store.mark_matmul_weight(weight);
}

Variable Output::loss(ForwardContext& context, const Variable& x, const PackedBatch& batch,
                      const Tensor& loss) const {
  const Variable rows = loss_rows(context, x, batch);
  const Tensor& value = rows.value();
  const Tensor logits =
      context.allocate(kernels::logits_chunk(value.rows(), weight_.shape[0], value.device()), value.dtype());
  const kernels::PaddedProjection padded = room_for_padding(context, value, weight_.shape);
  kernels::ProjectionGradients gradients;
  if (context.tape.recording()) {
    gradients = {.dx = context.allocate(value.shape(), value.dtype()),
                 .dw = weight_.gradient,
                 .dbias = bias_.gradient};
  }
  const kernels::CrossEntropy options{.label_smoothing = label_smoothing_};
  kernels::projection_cross_entropy(value, weight_.value, bias_.value, batch.target_out, options, logits,
                                    loss, gradients, padded,
                                    context.tape.recording() ? context.loss : nullptr);
  return context.tape.record_root("output", loss.slice_rows(0, 1), {rows},
                                  [dx = gradients.dx](autograd::Gradients& grad) {
                                    if (grad.wanted(0)) grad.give(0, dx);
                                  });
}

Tensor Output::logits(ForwardContext& context, const Tensor& x) const {
  const Tensor z = context.allocate({x.rows(), weight_.shape[0]}, x.dtype());
  if (weight_.quantized.defined()) {
    kernels::quantized_linear_forward(x, weight_.quantized, bias_.value, kernels::Relu::no, z);
  } else {
    kernels::linear_forward(x, weight_.value, bias_.value, z);
  }
  context.show("output", "LI1", "z", z);
  return z;
}

void Output::top_k(ForwardContext& context, const Tensor& x, const Tensor& banned,
                   kernels::Normalise normalise, Out scores, Out ids) const {
  const Tensor logits =
      context.allocate({std::min(kernels::kTopKChunk, x.rows()), weight_.shape[0]}, x.dtype());
  if (weight_.quantized.defined()) {
    kernels::projection_top_k(x, weight_.quantized, bias_.value, banned, normalise, logits, scores, ids);
  } else {
    kernels::projection_top_k(x, weight_.value, bias_.value, banned, normalise, logits, scores, ids);
  }
}

}  // namespace xf::nn
