// The encoder-decoder Transformer, in the paper's order. Vaswani et al. 2017, arXiv:1706.03762;
// pre-norm: Wang et al. 2019, arXiv:1906.01787. The forward pass is written here once; the backward
// pass is that of its blocks, on the tape.
#pragma once

#include <vector>

#include "nn/embedding_block.h"
#include "nn/output_block.h"
#include "nn/self_attention_stack.h"
#include "nn/translation_model.h"

namespace xf::nn {

struct DecoderLayer {
  DecoderLayer(ParameterStore& store, const std::string& name, const TransformerConfig& config);
  SelfAttention self_attention;
  Sublayer self_attention_sublayer;
  CrossAttention cross_attention;
  Sublayer cross_attention_sublayer;
  FeedForward feed_forward;
  Sublayer feed_forward_sublayer;
};

// What decoding token by token keeps.
struct DecoderCache {
  std::vector<Tensor> layers;        // per layer [C, 3D]: the fused projections of every position
                                     // decoded
                                     // so far
  Tensor cross;                      // [Ts, L * 2D]
  Tensor cross_rows, cross_lengths;  // i32 [R, Smax], [R]: each hypothesis's source tokens
};

class Transformer final : public TranslationModel {
 public:
  Transformer(const TransformerConfig& config, ParameterStore& store);

  Variable loss(ForwardContext& context, const PackedBatch& batch, const Tensor& counters,
                const Tensor& loss) const override;

  std::unique_ptr<Decoding> decoding(ForwardContext& context, Arena& arena, const PackedBatch& batch,
                                     int64_t hypotheses) const override;
  Tensor logits(ForwardContext& context, const PackedBatch& batch) const override;
  void top_k(ForwardContext& context, const PackedBatch& batch, Out scores, Out ids) const override;

  // -> [Ts, D]
  Variable encode(ForwardContext& context, const PackedBatch& batch, const Tensor& counters) const;
  // The keys and values of all decoder layers. [Ts, D] -> [Ts, L * 2D]
  Variable cross_keys_values(ForwardContext& context, const Variable& memory) const {
    return cross_kv_.forward(context, memory);
  }
  // memory [Ts, D] -> decoder states [Tt, D]
  Variable decode(ForwardContext& context, const PackedBatch& batch, const Variable& memory,
                  const Tensor& counters) const;
  // [R, D] -> [R, V]
  Tensor logits(ForwardContext& context, const Tensor& states) const {
    return output_.logits(context, states);
  }
  // The best next tokens: scores [R, K], Acc, and ids i32 [R, K] written (kernels/top_k.h).
  void top_k(ForwardContext& context, const Tensor& states, const Tensor& banned,
             kernels::Normalise normalise, Out scores, Out ids) const {
    output_.top_k(context, states, banned, normalise, scores, ids);
  }

  // One position for R hypotheses: ids, positions i32 [R] -> states [R, D]. Row r's projections are
  // written at cache row first_row + r; rows [R, S] and lengths [R] list the cached positions each
  // hypothesis sees, this one included.
  Tensor decode_step(ForwardContext& context, const Tensor& ids, const Tensor& positions,
                     const DecoderCache& cache, int64_t first_row, const Tensor& rows,
                     const Tensor& lengths) const;

 private:
  template <typename Self, typename Cross, typename Memory>
  Variable walk_decoder(ForwardContext& context, const Variable& x, const Tokens& target, const Self& self,
                        const Cross& cross, const Memory& memory) const;
  // Layer l's columns of all layers' keys and values: begin, end.
  std::pair<int64_t, int64_t> cross_columns(size_t l) const {
    const auto first = static_cast<int64_t>(l) * 2 * config().dim;
    return {first, first + 2 * config().dim};
  }

  const Parameter& source_table_;
  Embedding source_embedding_;
  SelfAttentionStack encoder_;
  const Parameter& target_table_;
  Embedding target_embedding_;
  CrossKeysValues cross_kv_;
  LayerStack<DecoderLayer> decoder_;
  Output output_;
};

}  // namespace xf::nn
