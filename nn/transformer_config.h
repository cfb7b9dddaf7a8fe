// The sizes of a model of these blocks: an encoder-decoder (nn/transformer.h), a decoder alone
// (nn/language_model.h), an encoder alone (nn/classifier.h).
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/activation.h"
#include "kernels/embedding.h"
#include "nn/norm.h"

namespace xf::nn {

enum class ModelType {
  translation,     // encoder and decoder
  language_model,  // decoder layers without cross-attention; reads the target side only
  classification,  // encoder layers; the target vocabulary is the classes
};
enum class NormPlacement {
  post,  // x = norm(x + dropout(sublayer(x)))
  pre,   // x = x + dropout(sublayer(norm(x))), and a norm after the last layer
};
enum class Tying {
  none,
  target,  // target embedding = output projection
  all,     // one table for source, target and output; needs a joint vocabulary
};

// What is done with a model besides training, loading and translating with it.
enum class Feature {
  memory_plan,  // what training needs is planned on a meta device
  recomputed_layers,
  fitted_length,  // max_length may be lowered to the corpus's
  muon,           // its weight matrices are marked
  repeated_loss,  // a training method's (nn/train/training_method.h)
  inspection,     // its blocks are nn/transformer.h's, which pages show
  int8,
  exchange,  // other toolkits have it
};

class ModelVariant;

struct TransformerConfig {
  ModelType type = ModelType::translation;
  int64_t source_vocabulary = 0, target_vocabulary = 0;
  int64_t dim = 128, heads = 4, feed_forward = 256;
  int64_t encoder_layers = 4, decoder_layers = 4;
  NormPlacement norm = NormPlacement::post;
  float norm_epsilon = kLayerNormEps;  // what layer normalisation adds to the variance
  kernels::Activation activation = kernels::Activation::relu;
  kernels::PositionLayout positions = kernels::PositionLayout::interleaved;
  bool learned_positions = false;  // instead of sinusoids a table for each side, [max_length, dim]
  bool rotary_positions =
      false;  // instead of either, queries and keys of self-attention turned (kernels/rotary.h)
  Tying tying = Tying::none;
  float dropout = 0, attention_dropout = 0, feed_forward_dropout = 0;
  float label_smoothing = 0;
  bool recompute_layers = false;  // on the way back, instead of keeping their values: less memory,
                                  // the
                                  // same bits
  int64_t max_length = 100;       // of a sentence in training, in tokens with </s>
  // Where given, a translation model is the variant's (nn/model_variant.h).
  std::shared_ptr<const ModelVariant> variant = nullptr;

  bool reads_source() const { return type != ModelType::language_model; }
  // The engine's own models support all.
  bool supports(Feature feature) const;
};

// The same, or Error usage for sizes that make no model of its type.
const TransformerConfig& checked(const TransformerConfig& config);

}  // namespace xf::nn
