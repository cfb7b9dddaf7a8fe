#include "nn/quirks/presets.h"

namespace xf::nn::quirks {

Config seed001() {
  return {.source_vocabulary = 10,
          .target_vocabulary = 10,
          .dim = 6,
          .heads = 2,
          .feed_forward = 3,
          .layers = 9,
          .max_length = 10,
          .pad = 0,
          .dropout = 0.1f,
          .quirks = {.mask_fill = -1e4f,
                     .target_pad_axis = PadAxis::query,
                     .position_exponent = PositionExponent::doubled,
                     .scaled_embeddings = false,
                     .decoder_norms = NormSharing::first}};
}

}  // namespace xf::nn::quirks
