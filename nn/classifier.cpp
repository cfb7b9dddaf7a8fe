#include "nn/classifier.h"

#include <cmath>

#include "autograd/ops.h"
#include "kernels/elementwise.h"

namespace xf::nn {

namespace {

const Parameter& add_class_weights(ParameterStore& store, const TransformerConfig& config) {
  return store.add("output.weight", {config.target_vocabulary, config.dim},
                   Init::xavier(config.dim, config.target_vocabulary));
}

}  // namespace

Classifier::Classifier(const TransformerConfig& config, ParameterStore& store)
    : Model(config, store),
      embedding_(store, "embedding",
                 add_embedding_table(store, "embedding.weight", config.source_vocabulary, config.dim),
                 add_position_table(store, "positions.weight", config), config.dropout),
      encoder_(store, "encoder", config.encoder_layers, config),
      query_(store.add("pooling.query", {config.dim}, Init::zeros())),
      site_(store.new_dropout_site()),
      output_(store, add_class_weights(store, config), config.label_smoothing) {}

Variable Classifier::encode(ForwardContext& context, const PackedBatch& batch, const Tensor& counters) const {
  const Tokens source = source_tokens(context, batch, counters);
  const Variable x = embedding_.forward(context, batch.source_ids, batch.source_positions, batch.source_order,
                                        position_table(), source);
  return encoder_.forward(context, x, source, false);
}

Variable Classifier::pool(ForwardContext& context, const Variable& x, const PackedBatch& batch,
                          const Tensor& counters) const {
  const Tokens source = source_tokens(context, batch, counters),
               target = target_tokens(context, batch, counters);
  const Tensor zeros = context.allocate({batch.target_out.numel(), config().dim}, x.value().dtype());
  kernels::fill_zero(zeros);
  const Variable queries =
      autograd::add_bias(context.tape, zeros, context.tape.leaf(query_.value, query_.gradient));
  const float scale = 1.0f / std::sqrt(static_cast<float>(config().dim / config().heads));
  const kernels::AttentionShape shape{config().heads, source.max_length, false, scale};
  const Variable y =
      autograd::attention(context.tape, queries, x, x, target.offsets, source.offsets, shape, {});
  context.show("pooling", "AT4", "y", y.value());
  return autograd::dropout(context.tape, y, context.dropout(config().dropout, site_, target));
}

Variable Classifier::loss(ForwardContext& context, const PackedBatch& batch, const Tensor& counters,
                          const Tensor& loss) const {
  const Variable texts = pool(context, encode(context, batch, counters), batch, counters);
  return output_.loss(context, texts, batch, loss);
}

}  // namespace xf::nn
