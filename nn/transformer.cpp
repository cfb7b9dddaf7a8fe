#include "nn/transformer.h"

#include <algorithm>
#include <cmath>

namespace xf::nn {

namespace {

// Embeddings start with variance 1/D and are scaled by sqrt(D) when read.
Init embedding_init(int64_t dim) { return Init::normal(1.0f / std::sqrt(static_cast<float>(dim))); }

const Parameter& add_source_table(Registry& registry, const TransformerConfig& config) {
  const bool joint = config.tying == Tying::all;
  XF_CHECK(!joint || config.source_vocabulary == config.target_vocabulary,
           "transformer: tied-embeddings-all needs one vocabulary, got sizes {} and {}",
           config.source_vocabulary, config.target_vocabulary);
  return registry.add(joint ? "embedding.weight" : "source_embedding.weight",
                      {config.source_vocabulary, config.dim}, embedding_init(config.dim));
}

const Parameter& add_target_table(Registry& registry, const TransformerConfig& config,
                                  const Parameter& source_table) {
  if (config.tying == Tying::all) return source_table;
  return registry.add("target_embedding.weight", {config.target_vocabulary, config.dim},
                      embedding_init(config.dim));
}

const Parameter& add_output_weight(Registry& registry, const TransformerConfig& config,
                                   const Parameter& target_table) {
  if (config.tying != Tying::none) return target_table;
  return registry.add("output.weight", {config.target_vocabulary, config.dim},
                      Init::xavier(config.dim, config.target_vocabulary));
}

AttentionOptions attention_options(const TransformerConfig& config) {
  return {config.dim, config.heads, config.attention_dropout};
}

FeedForwardOptions feed_forward_options(const TransformerConfig& config) {
  return {config.dim, config.feed_forward, config.activation, config.feed_forward_dropout};
}

const TransformerConfig& checked(const TransformerConfig& config) {
  const auto positive = [](int64_t value, const char* key) {
    if (value < 1) fail(ErrorKind::usage, "{} must be at least 1, got {}", key, value);
  };
  positive(config.dim, "dim-emb");
  positive(config.heads, "transformer-heads");
  positive(config.feed_forward, "transformer-dim-ffn");
  positive(config.encoder_layers, "enc-depth");
  positive(config.decoder_layers, "dec-depth");
  positive(config.source_vocabulary, "the source vocabulary");
  positive(config.target_vocabulary, "the target vocabulary");
  positive(config.max_length, "max-length");
  if (config.dim % config.heads != 0) {
    fail(ErrorKind::usage, "transformer-heads {} does not divide dim-emb {}; choose a divisor", config.heads,
         config.dim);
  }
  if (config.dim % 2 != 0)
    fail(ErrorKind::usage, "dim-emb must be even (sine and cosine), got {}", config.dim);
  return config;
}

Tensor counters_of(const Tensor& counters, int64_t side) {
  return counters.defined() ? counters.slice_rows(side, side + 1).reshape({2}) : Tensor();
}

template <typename Layer>
std::vector<std::unique_ptr<Layer>> make_layers(Registry& registry, const char* stack, int64_t n,
                                                const TransformerConfig& config) {
  std::vector<std::unique_ptr<Layer>> layers;
  for (int64_t l = 0; l < n; ++l) {
    layers.push_back(std::make_unique<Layer>(registry, fmt::format("{}.layers.{}", stack, l), config));
  }
  return layers;
}

std::unique_ptr<Norm> make_final_norm(Registry& registry, const char* stack,
                                      const TransformerConfig& config) {
  if (config.norm == NormPlacement::post) return nullptr;
  return std::make_unique<Norm>(registry, fmt::format("{}.norm", stack), config.dim);
}

// The norm behind layer l's last sublayer in pre-norm: the next layer's first, or the stack's (docs/derivations/residual.md).
template <typename Layers>
const Norm* norm_after(const Layers& layers, size_t l, const std::unique_ptr<Norm>& last) {
  return l + 1 < layers.size() ? &layers[l + 1]->self_attention_sublayer.norm : last.get();
}

}  // namespace

EncoderLayer::EncoderLayer(Registry& registry, const std::string& name, const TransformerConfig& config)
    : self_attention(registry, name + ".self_attention", attention_options(config)),
      self_attention_sublayer(registry, name + ".self_attention", config.dim),
      feed_forward(registry, name + ".feed_forward", feed_forward_options(config)),
      feed_forward_sublayer(registry, name + ".feed_forward", config.dim) {}

DecoderLayer::DecoderLayer(Registry& registry, const std::string& name, const TransformerConfig& config)
    : self_attention(registry, name + ".self_attention", attention_options(config)),
      self_attention_sublayer(registry, name + ".self_attention", config.dim),
      cross_attention(registry, name + ".cross_attention", attention_options(config)),
      cross_attention_sublayer(registry, name + ".cross_attention", config.dim),
      feed_forward(registry, name + ".feed_forward", feed_forward_options(config)),
      feed_forward_sublayer(registry, name + ".feed_forward", config.dim) {}

Transformer::Transformer(const TransformerConfig& config, Registry& registry)
    : config_(checked(config)),
      source_table_(add_source_table(registry, config)),
      source_embedding_(registry, "source_embedding", source_table_, config.dropout),
      encoder_(make_layers<EncoderLayer>(registry, "encoder", config.encoder_layers, config)),
      encoder_norm_(make_final_norm(registry, "encoder", config)),
      target_table_(add_target_table(registry, config, source_table_)),
      target_embedding_(registry, "target_embedding", target_table_, config.dropout),
      cross_kv_(registry, "decoder.cross_kv", config.dim, config.decoder_layers),
      decoder_(make_layers<DecoderLayer>(registry, "decoder", config.decoder_layers, config)),
      decoder_norm_(make_final_norm(registry, "decoder", config)),
      output_(registry, add_output_weight(registry, config, target_table_), config.label_smoothing) {}

void Transformer::bind(Device device) {
  const Shape shape{std::max(kMaxPositions, config_.max_length + 1), config_.dim};
  const DType dtype = source_table_.value.dtype();
  if (device.type == DeviceType::meta) {
    positions_ = Tensor::empty(shape, dtype, device);
    return;
  }
  const Tensor table = Tensor::empty(shape, accumulator_of(dtype));
  kernels::sinusoid_positions(config_.positions, table);
  positions_ = (dtype == DType::bf16 ? table.to_bf16() : table).to(device);
}

// Training takes one attention path for all batches, so that one captured graph serves them all; translation
// takes what the batch needs.
int64_t Transformer::max_length(const Step& step, int64_t longest) const {
  if (!step.tape.recording()) return longest;
  XF_CHECK(longest <= config_.max_length,
           "transformer: a sentence of {} tokens is over the model's max_length {}", longest,
           config_.max_length);
  return config_.max_length;
}

Tokens Transformer::source_tokens(const Step& step, const PackedBatch& batch, const Tensor& counters) const {
  return {batch.source_offsets, max_length(step, batch.longest_source), counters_of(counters, 0)};
}

Tokens Transformer::target_tokens(const Step& step, const PackedBatch& batch, const Tensor& counters) const {
  return {batch.target_offsets, max_length(step, batch.longest_target), counters_of(counters, 1)};
}

Transformer::Stream Transformer::begin(Step& step, const Variable& x, const Norm& first) const {
  if (config_.norm == NormPlacement::post) return {x, x};
  return {x, first.forward(step, x)};
}

void Transformer::add(Step& step, Stream& stream, const Variable& s, const Sublayer& sublayer,
                      const Norm* next, const Tokens& tokens) const {
  const kernels::Dropout dropout = step.dropout(config_.dropout, sublayer.site, tokens);
  const Norm& norm = config_.norm == NormPlacement::post ? sublayer.norm : *next;
  const Norm::Sum sum = norm.forward_residual(step, stream.residual, s, dropout);
  stream = config_.norm == NormPlacement::post ? Stream{sum.y, sum.y} : Stream{sum.sum, sum.y};
}

Variable Transformer::encode(Step& step, const PackedBatch& batch, const Tensor& counters) const {
  const Tokens source = source_tokens(step, batch, counters);
  const Variable x = source_embedding_.forward(step, batch.source_ids, batch.source_positions,
                                               batch.source_order, positions_, source);
  Stream stream = begin(step, x, encoder_[0]->self_attention_sublayer.norm);
  for (size_t l = 0; l < encoder_.size(); ++l) {
    const EncoderLayer& layer = *encoder_[l];
    add(step, stream, layer.self_attention.forward(step, stream.normed, source, false),
        layer.self_attention_sublayer, &layer.feed_forward_sublayer.norm, source);
    add(step, stream, layer.feed_forward.forward(step, stream.normed, source), layer.feed_forward_sublayer,
        norm_after(encoder_, l, encoder_norm_), source);
  }
  return stream.normed;
}

// x through the decoder's layers; what its attentions look at is the caller's: self(l, x) and cross(l, x) of layer l.
template <typename Self, typename Cross>
Variable Transformer::walk_decoder(Step& step, const Variable& x, const Tokens& target, const Self& self,
                                   const Cross& cross) const {
  Stream stream = begin(step, x, decoder_[0]->self_attention_sublayer.norm);
  for (size_t l = 0; l < decoder_.size(); ++l) {
    const DecoderLayer& layer = *decoder_[l];
    add(step, stream, self(l, stream.normed), layer.self_attention_sublayer,
        &layer.cross_attention_sublayer.norm, target);
    add(step, stream, cross(l, stream.normed), layer.cross_attention_sublayer,
        &layer.feed_forward_sublayer.norm, target);
    add(step, stream, layer.feed_forward.forward(step, stream.normed, target), layer.feed_forward_sublayer,
        norm_after(decoder_, l, decoder_norm_), target);
  }
  return stream.normed;
}

Variable Transformer::decode(Step& step, const PackedBatch& batch, const Variable& memory,
                             const Tensor& counters) const {
  const Tokens source = source_tokens(step, batch, counters);
  const Tokens target = target_tokens(step, batch, counters);
  const Variable kv = cross_keys_values(step, memory);
  const Variable x = target_embedding_.forward(step, batch.target_in, batch.target_positions,
                                               batch.target_order, positions_, target);
  const auto self = [&](size_t l, const Variable& normed) {
    return decoder_[l]->self_attention.forward(step, normed, target, true);
  };
  const auto cross = [&](size_t l, const Variable& normed) {
    const auto [begin, end] = cross_columns(l);
    return decoder_[l]->cross_attention.forward(step, normed, step.tape.columns(kv, begin, end), target,
                                                source);
  };
  return walk_decoder(step, x, target, self, cross);
}

Variable Transformer::loss(Step& step, const PackedBatch& batch, const Tensor& counters,
                           const Tensor& loss) const {
  const Variable memory = encode(step, batch, counters);
  const Variable states = decode(step, batch, memory, counters);
  return output_.loss(step, states, batch.target_out, loss);
}

Tensor Transformer::decode_step(Step& step, const Tensor& ids, const Tensor& positions,
                                const DecoderCache& cache, int64_t first_row, const Tensor& rows,
                                const Tensor& lengths) const {
  const int64_t R = ids.numel();
  const Variable x = target_embedding_.forward(step, ids, positions, Tensor(), positions_, {});
  const auto self = [&](size_t l, const Variable& normed) {
    const Tensor slab = cache.layers[l].slice_rows(first_row, first_row + R);
    return decoder_[l]->self_attention.decode(step, normed.value(), slab, cache.layers[l], rows, lengths);
  };
  const auto cross = [&](size_t l, const Variable& normed) {
    const auto [begin, end] = cross_columns(l);
    return decoder_[l]->cross_attention.decode(step, normed.value(), cache.cross.slice_columns(begin, end),
                                               cache.cross_rows, cache.cross_lengths);
  };
  return walk_decoder(step, x, {}, self, cross).value();
}

}  // namespace xf::nn
