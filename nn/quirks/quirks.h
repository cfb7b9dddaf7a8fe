// What published Transformers do otherwise, each a switch whose default is the correct value, and the sizes of the
// model that has them: a small encoder-decoder, post-norm, on a padded layout [B, S, D], built from the tape's primitive
// nodes (autograd/ops.h) alone. With the defaults it is nn/transformer.h, slower (tests/nn/quirks/transformer_test.cpp). On the CPU.
#pragma once

#include <cstdint>
#include <limits>

namespace xf::nn::quirks {

// The wavelengths of the positions: of columns 2i and 2i+1, in units of 2 pi.
enum class PositionExponent {
  correct,  // 10000^(2i/D)
  doubled,  // 10000^(4i/D): the loop's index is even already, and is doubled once more
};

// What padding of the target hides in its self-attention.
enum class PadAxis {
  key,    // nobody attends a padded position
  query,  // a padded position attends nobody; the others attend it, where it is not in their future
};

// Which norm stands behind a decoder layer's sublayers.
enum class NormSharing {
  none,  // each its own
  first,  // the self-attention's behind all three; the cross-attention's exists and is not read, a third does not exist
};

struct Quirks {
  // Takes the place of the score of a key that may not be attended. Where it is finite, a query that may attend nobody
  // attends everybody alike; with minus infinity its probabilities are 0.
  float mask_fill = -std::numeric_limits<float>::infinity();
  PadAxis target_pad_axis = PadAxis::key;
  PositionExponent position_exponent = PositionExponent::correct;
  bool scaled_embeddings = true;  // times sqrt(D) when read
  NormSharing decoder_norms = NormSharing::none;
};

struct Config {
  int64_t source_vocabulary = 0, target_vocabulary = 0;
  int64_t dim = 0, heads = 1, feed_forward = 0, layers = 1;  // layers: of the encoder, and of the decoder
  int64_t max_length = 0;                                    // rows of the position table
  int32_t pad = 0;                                           // the id that fills sentences up, on both sides
  float dropout = 0;  // of embeddings, of the feed-forward block's inner values, of each sublayer's result
  Quirks quirks;
};

}  // namespace xf::nn::quirks
