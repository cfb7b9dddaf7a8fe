#include "nn/transformer.h"

#include "nn/decoder_cache.h"

namespace xf::nn {

namespace {

const Parameter& add_source_table(ParameterStore& store, const TransformerConfig& config) {
  const bool joint = config.tying == Tying::all;
  XF_CHECK(!joint || config.source_vocabulary == config.target_vocabulary,
           "transformer: tied-embeddings-all needs one vocabulary, got sizes {} and {}",
           config.source_vocabulary, config.target_vocabulary);
  return add_embedding_table(store, joint ? "embedding.weight" : "source_embedding.weight",
                             config.source_vocabulary, config.dim);
}

const Parameter& add_target_table(ParameterStore& store, const TransformerConfig& config,
                                  const Parameter& source_table) {
  if (config.tying == Tying::all) return source_table;
  return add_embedding_table(store, "target_embedding.weight", config.target_vocabulary, config.dim);
}

// Keeps the keys and values of every node, so that reordering a beam moves nothing.
class CachedDecoding final : public TranslationModel::Decoding {
 public:
  CachedDecoding(const Transformer& model, ForwardContext& context, Arena& arena, const PackedBatch& batch,
                 int64_t hypotheses)
      : model_(model), step_(context), arena_(arena) {
    cache_.cross = model.cross_keys_values(context, model.encode(context, batch, Tensor())).value();
    cache_.layers = make_cache(model.config(), arena, hypotheses * kFirstPositions, model.dtype());
  }

  Tensor logits(const DecodeStep& at) override { return model_.logits(step_, states(at)); }
  void top_k(const DecodeStep& at, const Tensor& banned, kernels::Normalise normalise, Out scores,
             Out ids) override {
    model_.top_k(step_, states(at), banned, normalise, scores, ids);
  }

 private:
  Tensor states(const DecodeStep& at) {
    reserve_cache(cache_.layers, arena_, at.first_node, at.first_node + at.ids.numel());
    cache_.cross_rows = at.source_rows;
    cache_.cross_lengths = at.source_lengths;
    return model_.decode_step(step_, at.ids, at.positions, cache_, at.first_node, at.rows, at.lengths);
  }

  const Transformer& model_;
  ForwardContext& step_;
  Arena& arena_;
  DecoderCache cache_;
};

}  // namespace

DecoderLayer::DecoderLayer(ParameterStore& store, const std::string& name, const TransformerConfig& config)
    : self_attention(store, name + ".self_attention", attention_options(config)),
      self_attention_sublayer(store, name + ".self_attention", config),
      cross_attention(store, name + ".cross_attention", attention_options(config)),
      cross_attention_sublayer(store, name + ".cross_attention", config),
      feed_forward(store, name + ".feed_forward", feed_forward_options(config)),
      feed_forward_sublayer(store, name + ".feed_forward", config) {}

Transformer::Transformer(const TransformerConfig& config, ParameterStore& store)
    : TranslationModel(config, store),
      source_table_(add_source_table(store, config)),
      source_embedding_(store, "source_embedding", source_table_,
                        add_position_table(store, "source_positions.weight", config), config.dropout),
      encoder_(store, "encoder", config.encoder_layers, config),
      target_table_(add_target_table(store, config, source_table_)),
      target_embedding_(store, "target_embedding", target_table_,
                        add_position_table(store, "target_positions.weight", config), config.dropout),
      cross_kv_(store, "decoder.cross_kv", config.dim, config.decoder_layers),
      decoder_(store, "decoder", config.decoder_layers, config),
      output_(store, add_output_weight(store, config, target_table_), config.label_smoothing) {}

Variable Transformer::encode(ForwardContext& context, const PackedBatch& batch,
                             const Tensor& counters) const {
  const Tokens source = source_tokens(context, batch, counters);
  const Variable x = source_embedding_.forward(context, batch.source_ids, batch.source_positions,
                                               batch.source_order, position_table(), source);
  return encoder_.forward(context, x, source, false);
}

// x through the decoder's layers; what its attentions look at is the caller's: self(step, l, x) and
// cross(step, l, x, memory(l)) of layer l.
template <typename Self, typename Cross, typename Memory>
Variable Transformer::walk_decoder(ForwardContext& context, const Variable& x, const Tokens& target,
                                   const Self& self, const Cross& cross, const Memory& memory) const {
  ResidualStream stream(context, config(), x, decoder_.first_norm());
  for (size_t l = 0; l < decoder_.size(); ++l) {
    const auto walk = [this, l, target, self, cross](ForwardContext& pass, ResidualStream& through,
                                                     const std::vector<Variable>& keys_values) {
      const DecoderLayer& layer = decoder_[l];
      through.add(self(pass, l, through.normed()), layer.self_attention_sublayer,
                  &layer.cross_attention_sublayer.norm, target);
      through.add(cross(pass, l, through.normed(), keys_values.front()), layer.cross_attention_sublayer,
                  &layer.feed_forward_sublayer.norm, target);
      through.add(layer.feed_forward.forward(pass, through.normed(), target), layer.feed_forward_sublayer,
                  decoder_.norm_after(l), target);
    };
    stream.walk(walk, {memory(l)});
  }
  return stream.normed();
}

Variable Transformer::decode(ForwardContext& context, const PackedBatch& batch, const Variable& memory,
                             const Tensor& counters) const {
  const Tokens source = source_tokens(context, batch, counters);
  const Tokens target = target_tokens(context, batch, counters);
  const Variable kv = cross_keys_values(context, memory);
  const Variable x = target_embedding_.forward(context, batch.target_in, batch.target_positions,
                                               batch.target_order, position_table(), target);
  const auto self = [this, target](ForwardContext& pass, size_t l, const Variable& normed) {
    return decoder_[l].self_attention.forward(pass, normed, target, true);
  };
  const auto cross = [this, target, source](ForwardContext& pass, size_t l, const Variable& normed,
                                            const Variable& keys_values) {
    return decoder_[l].cross_attention.forward(pass, normed, keys_values, target, source);
  };
  const auto columns = [&](size_t l) {
    const auto [begin, end] = cross_columns(l);
    return context.tape.columns(kv, begin, end);
  };
  return walk_decoder(context, x, target, self, cross, columns);
}

Variable Transformer::loss(ForwardContext& context, const PackedBatch& batch, const Tensor& counters,
                           const Tensor& loss) const {
  const Variable memory = encode(context, batch, counters);
  return output_.loss(context, decode(context, batch, memory, counters), batch, loss);
}

std::unique_ptr<TranslationModel::Decoding> Transformer::decoding(ForwardContext& context, Arena& arena,
                                                                  const PackedBatch& batch,
                                                                  int64_t hypotheses) const {
  return std::make_unique<CachedDecoding>(*this, context, arena, batch, hypotheses);
}

Tensor Transformer::logits(ForwardContext& context, const PackedBatch& batch) const {
  const Variable memory = encode(context, batch, Tensor());
  return logits(context, decode(context, batch, memory, Tensor()).value());
}

void Transformer::top_k(ForwardContext& context, const PackedBatch& batch, Out scores, Out ids) const {
  const Variable memory = encode(context, batch, Tensor());
  const Tensor states = decode(context, batch, memory, Tensor()).value();
  top_k(context, states, Tensor::empty({0}, DType::i32, states.device()), kernels::Normalise::yes, scores,
        ids);
}

Tensor Transformer::decode_step(ForwardContext& context, const Tensor& ids, const Tensor& positions,
                                const DecoderCache& cache, int64_t first_row, const Tensor& rows,
                                const Tensor& lengths) const {
  const int64_t R = ids.numel();
  const Variable x = target_embedding_.forward(context, ids, positions, Tensor(), position_table(), {});
  const auto self = [&](ForwardContext& pass, size_t l, const Variable& normed) {
    const Tensor slab = cache.layers[l].slice_rows(first_row, first_row + R);
    return decoder_[l].self_attention.decode(pass, normed.value(), rotary(positions), slab, cache.layers[l],
                                             rows, lengths);
  };
  const auto cross = [&](ForwardContext& pass, size_t l, const Variable& normed,
                         const Variable& keys_values) {
    return decoder_[l].cross_attention.decode(pass, normed.value(), keys_values.value(), cache.cross_rows,
                                              cache.cross_lengths);
  };
  const auto columns = [&](size_t l) {
    const auto [begin, end] = cross_columns(l);
    return Variable(cache.cross.slice_columns(begin, end));
  };
  return walk_decoder(context, x, {}, self, cross, columns).value();
}

}  // namespace xf::nn
