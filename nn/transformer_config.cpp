#include "nn/transformer_config.h"

#include "core/error.h"
#include "nn/model_variant.h"

namespace xf::nn {

bool TransformerConfig::supports(Feature feature) const { return !variant || variant->supports(feature); }

const TransformerConfig& checked(const TransformerConfig& config) {
  const auto positive = [](int64_t value, const char* key) {
    if (value < 1) fail(ErrorKind::usage, "{} must be at least 1, got {}", key, value);
  };
  positive(config.dim, "dim-emb");
  positive(config.heads, "transformer-heads");
  positive(config.feed_forward, "transformer-dim-ffn");
  if (config.reads_source()) {
    positive(config.encoder_layers, "enc-depth");
    positive(config.source_vocabulary, "the source vocabulary");
  }
  if (config.type != ModelType::classification) positive(config.decoder_layers, "dec-depth");
  positive(config.target_vocabulary, "the target vocabulary");
  positive(config.max_length, "max-length");
  if (config.variant && config.type != ModelType::translation)
    fail(ErrorKind::usage, "{} are switches of a translation model; leave them out, or --type",
         config.variant->name());
  if (config.dim % config.heads != 0) {
    fail(ErrorKind::usage, "transformer-heads {} does not divide dim-emb {}; choose a divisor", config.heads,
         config.dim);
  }
  if (!(config.norm_epsilon > 0 && config.norm_epsilon < 1))
    fail(ErrorKind::usage, "layer-norm-epsilon must be above 0 and below 1, got {}", config.norm_epsilon);
  if (config.dim % 2 != 0)
    fail(ErrorKind::usage, "dim-emb must be even (sine and cosine), got {}", config.dim);
  if (config.rotary_positions && config.learned_positions)
    fail(ErrorKind::usage, "positions are learnt or rotary, not both");
  if (config.rotary_positions && config.dim / config.heads % 2 != 0) {
    fail(ErrorKind::usage,
         "rotary positions turn pairs of columns: a head must have an even width, got {} / {}", config.dim,
         config.heads);
  }
  return config;
}

}  // namespace xf::nn
