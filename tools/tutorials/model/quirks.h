// What published Transformers do otherwise, each a switch whose default is the correct value, and
// the sizes of the model that has them: an encoder-decoder on a padded layout [B, S, D], built from
// the tape's nodes one small step at a time. With the defaults it is nn/transformer.h, slower
// (tests/tutorials/transformer_test.cpp). On the CPU. What each switch does in numbers:
// docs/variants, whose Q numbers stand here.
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/activation.h"
#include "nn/norm.h"
#include "nn/transformer_config.h"

namespace xf::nn::quirks {

// The wavelengths of the positions: of columns 2i and 2i+1, in units of 2 pi.
enum class PositionExponent {
  correct,          // 10000^(2i/D)
  doubled,          // Q5. 10000^(4i/D): the loop's index is even already, and is doubled once more
  divided_outside,  // Q6. 10000^(2i) / D, in f32: the power's brackets close too early, and from i
                    // = 5 on it is infinite
};

// Q3. What padding hides: from whom, or whom.
enum class PadAxis {
  key,    // nobody attends a padded position
  query,  // in the target, a padded position attends nobody; the others attend it, where it is not
          // in their future
  both,   // of source and target: a padded position is not attended and attends nobody
};

// Of a row x with mean m.
enum class NormFormula {
  variance,   // (x - m) / sqrt(variance + eps), the variance divided by D
  deviation,  // Q7. (x - m) / (s + eps), s the square root of the variance divided by D - 1
  misplaced,  // Q8. x - m / (s + eps): the brackets are forgotten
};

// Which norm stands behind a decoder layer's sublayers.
enum class NormSharing {
  none,    // each its own
  first,   // Q9. the self-attention's behind all three; the second is not read, a third does not
           // exist
  second,  // Q10. the cross-attention's behind the feed-forward block too; the third is not read
};

enum class DropoutPlace {
  before_add,  // x + dropout(s)
  after_norm,  // Q11. dropout(norm(x + s)); post-norm alone
};

// Q14. What an embedding is multiplied by when read.
enum class EmbeddingScale { sqrt_dim, none, inverse_sqrt_dim };

// Q25. What decoding token by token keeps of the tokens before.
enum class CacheContents {
  keys_values,
  inputs,  // of which keys and values are made anew for each token: the same numbers
};

// How weights begin. Biases are uniform in +-1 / sqrt(in), as PyTorch's, whatever the weights are.
enum class InitScheme {
  xavier_uniform,   // +-sqrt(6 / (in + out)): Glorot, Bengio 2010
  kaiming_uniform,  // +-sqrt(6 / in): He et al. 2015, arXiv:1502.01852
  torch_default,    // +-1 / sqrt(in), an embedding N(0, 1)
};

enum class Output { logits, log_softmax };

struct Quirks {
  // Q1, Q2. Takes the place of the score of a key that may not be attended. Where it is finite, a
  // query that may attend nobody attends everybody alike; with minus infinity its probabilities are
  // 0.
  float mask_fill = -std::numeric_limits<float>::infinity();
  PadAxis pad_axis = PadAxis::key;
  bool apply_mask = true;  // Q4. false: every query attends every key
  PositionExponent position_exponent = PositionExponent::correct;
  NormFormula norm = NormFormula::variance;
  float norm_eps = kLayerNormEps;
  NormSharing decoder_norms = NormSharing::none;
  DropoutPlace dropout_place = DropoutPlace::before_add;
  bool feed_forward_dropout_last = false;  // Q12. of the block's result, not of its inner values
  bool position_offset = true;             // Q13. false: token by token, each one stands at
                                           // position 0
  EmbeddingScale embedding_scale = EmbeddingScale::sqrt_dim;
  bool positions_of_zeros = true;                // Q15. false: an element of a token that is exactly 0
                                                 // gets no
                                                 // position
  bool zero_pad_row = true;                      // Q22. the embedding of padding begins as zero,
  bool freeze_pad_row = true;                    //      and gets no gradient
  bool target_masked_by_source_pad = false;      // Q23. padding of the target is looked for by the
                                                 // source's id
  bool attention_dropout_at_evaluation = false;  // Q24.
  bool dropout_in_tests = false;                 // Q19. all of it, in what the model says along a
                                                 // reference
  CacheContents cache = CacheContents::keys_values;
  // Choices, not mistakes.
  InitScheme init = InitScheme::xavier_uniform;
  bool attention_bias = true;
  Output output = Output::logits;

  bool operator==(const Quirks&) const = default;
};

struct Config {
  int64_t source_vocabulary = 0, target_vocabulary = 0;
  int64_t dim = 0, heads = 1, feed_forward = 0, layers = 1;  // layers: of the encoder, and of the
                                                             // decoder
  int64_t max_length = 0;                                    // rows of the position table
  int32_t source_pad = 0, target_pad = 0;                    // the ids that fill sentences up
  float dropout = 0;                                         // of embeddings and of each sublayer's
                                                             // result
  float attention_dropout = 0, feed_forward_dropout = 0;
  kernels::Activation activation = kernels::Activation::relu;
  NormPlacement norms = NormPlacement::post;
  bool final_norms = false;  // behind the last layer of the encoder, and of the decoder
  Quirks quirks;

  bool operator==(const Config&) const = default;
};

}  // namespace xf::nn::quirks
