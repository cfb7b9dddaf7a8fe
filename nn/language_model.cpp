#include "nn/language_model.h"

namespace xf::nn {

LanguageModel::LanguageModel(const TransformerConfig& config, ParameterStore& store)
    : Model(config, store),
      table_(add_embedding_table(store, "embedding.weight", config.target_vocabulary, config.dim)),
      embedding_(store, "embedding", table_, add_position_table(store, "positions.weight", config),
                 config.dropout),
      decoder_(store, "decoder", config.decoder_layers, config),
      output_(store, add_output_weight(store, config, table_), config.label_smoothing) {}

Variable LanguageModel::states(ForwardContext& context, const PackedBatch& batch,
                               const Tensor& counters) const {
  const Tokens tokens = target_tokens(context, batch, counters);
  const Variable x = embedding_.forward(context, batch.target_in, batch.target_positions, batch.target_order,
                                        position_table(), tokens);
  return decoder_.forward(context, x, tokens, true);
}

Variable LanguageModel::loss(ForwardContext& context, const PackedBatch& batch, const Tensor& counters,
                             const Tensor& loss) const {
  return output_.loss(context, states(context, batch, counters), batch, loss);
}

Tensor LanguageModel::decode_step(ForwardContext& context, const Tensor& ids, const Tensor& positions,
                                  const std::vector<Tensor>& cache, int64_t first_row, const Tensor& rows,
                                  const Tensor& lengths) const {
  const Variable x = embedding_.forward(context, ids, positions, Tensor(), position_table(), {});
  return decoder_.decode(context, x.value(), rotary(positions), cache, first_row, rows, lengths);
}

}  // namespace xf::nn
