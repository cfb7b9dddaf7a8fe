// The sizes of a model of these blocks: an encoder-decoder (nn/transformer.h), a decoder alone
// (nn/language_model.h), an encoder alone (nn/classifier.h).
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/activation.h"
#include "kernels/embedding.h"
#include "nn/quirks/quirks.h"

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
  bool recompute_layers =
      false;                 // on the way back, instead of keeping their values: less memory, the same bits
  int64_t max_length = 100;  // of a sentence in training, in tokens with </s>
  // Where given, a translation model does as these switches say (nn/quirks/padded_model.h). Its sentences are filled up
  // with the pad ids.
  std::optional<quirks::Quirks> quirks = std::nullopt;
  int32_t source_pad = -1, target_pad = -1;

  bool reads_source() const { return type != ModelType::language_model; }
};

// The same, or Error usage for sizes that make no model of its type.
const TransformerConfig& checked(const TransformerConfig& config);

}  // namespace xf::nn
