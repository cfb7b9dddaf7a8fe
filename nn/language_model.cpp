#include "nn/language_model.h"

namespace xf::nn {

LanguageModel::LanguageModel(const TransformerConfig& config, ParameterStore& store)
    : Model(config, store),
      table_(add_embedding_table(store, "embedding.weight", config.target_vocabulary, config.dim)),
      embedding_(store, "embedding", table_, add_position_table(store, "positions.weight", config),
                 config.dropout),
      decoder_(store, "decoder", config.decoder_layers, config),
      output_(store, add_output_weight(store, config, table_), config.label_smoothing) {}

Variable LanguageModel::states(Step& step, const PackedBatch& batch, const Tensor& counters) const {
  const Tokens tokens = target_tokens(step, batch, counters);
  const Variable x = embedding_.forward(step, batch.target_in, batch.target_positions, batch.target_order,
                                        position_table(), tokens);
  return decoder_.forward(step, x, tokens, true);
}

Variable LanguageModel::loss(Step& step, const PackedBatch& batch, const Tensor& counters,
                             const Tensor& loss) const {
  return output_.loss(step, states(step, batch, counters), batch, loss);
}

Tensor LanguageModel::decode_step(Step& step, const Tensor& ids, const Tensor& positions,
                                  const std::vector<Tensor>& cache, int64_t first_row, const Tensor& rows,
                                  const Tensor& lengths) const {
  const Variable x = embedding_.forward(step, ids, positions, Tensor(), position_table(), {});
  return decoder_.decode(step, x.value(), rotary(positions), cache, first_row, rows, lengths);
}

}  // namespace xf::nn
