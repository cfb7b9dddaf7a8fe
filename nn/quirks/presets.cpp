#include "nn/quirks/presets.h"

namespace xf::nn::quirks {

Config base(Vocabularies vocabularies) {
  return {.source_vocabulary = vocabularies.source,
          .target_vocabulary = vocabularies.target,
          .dim = 512,
          .heads = 8,
          .feed_forward = 2048,
          .layers = 6,
          .max_length = 256,
          .source_pad = 1,
          .target_pad = 1,
          .dropout = 0.1f,
          .feed_forward_dropout = 0.1f,
          .quirks = {}};
}

Config seed000(Vocabularies vocabularies) {
  Config config = base(vocabularies);
  config.quirks = {.mask_fill = -1e-12f,
                   .pad_axis = PadAxis::both,
                   .norm = NormFormula::deviation,
                   .norm_eps = 1e-12f,
                   .dropout_place = DropoutPlace::after_norm,
                   .embedding_scale = EmbeddingScale::none,
                   .zero_pad_row = false,
                   .target_masked_by_source_pad = true,
                   .dropout_in_tests = true,
                   .init = InitScheme::kaiming_uniform};
  return config;
}

Config seed001() {
  return {.source_vocabulary = 10,
          .target_vocabulary = 10,
          .dim = 6,
          .heads = 2,
          .feed_forward = 3,
          .layers = 9,
          .max_length = 10,
          .source_pad = 0,
          .target_pad = 0,
          .dropout = 0.1f,
          .feed_forward_dropout = 0.1f,
          .quirks = {.mask_fill = -1e4f,
                     .pad_axis = PadAxis::query,
                     .position_exponent = PositionExponent::doubled,
                     .decoder_norms = NormSharing::first,
                     .embedding_scale = EmbeddingScale::none,
                     .zero_pad_row = false,
                     .freeze_pad_row = false,
                     .init = InitScheme::torch_default}};
}

Config seed002(Vocabularies vocabularies) {
  Config config = base(vocabularies);
  config.quirks = {.mask_fill = -1e4f,
                   .pad_axis = PadAxis::query,
                   .norm_eps = 1e-12f,
                   .embedding_scale = EmbeddingScale::none,
                   .zero_pad_row = false,
                   .init = InitScheme::kaiming_uniform};
  return config;
}

Config seed003(Vocabularies vocabularies) {
  Config config = base(vocabularies);
  config.feed_forward = 1024, config.max_length = 10000;
  config.dropout = config.attention_dropout = config.feed_forward_dropout = 0.2f;
  config.quirks = {.mask_fill = -1e9f,
                   .norm = NormFormula::deviation,
                   .norm_eps = 1e-9f,
                   .feed_forward_dropout_last = true,
                   .zero_pad_row = false,
                   .freeze_pad_row = false,
                   .cache = DecoderCache::inputs,
                   .init = InitScheme::torch_default};
  return config;
}

Config seed003_asis(Vocabularies vocabularies) {
  Config config = seed003(vocabularies);
  config.quirks.apply_mask = false;
  config.quirks.position_exponent = PositionExponent::divided_outside;
  config.quirks.norm = NormFormula::misplaced;
  config.quirks.decoder_norms = NormSharing::second;
  config.quirks.position_offset = false;
  return config;
}

Config seed004(Vocabularies vocabularies) {
  Config config = base(vocabularies);
  config.attention_dropout = 0.1f;
  config.norms = NormPlacement::pre, config.final_norms = true;
  config.quirks = {.mask_fill = -1e9f,
                   .norm = NormFormula::deviation,
                   .norm_eps = 1e-6f,
                   .zero_pad_row = false,
                   .freeze_pad_row = false,
                   .output = Output::log_softmax};
  return config;
}

Config seed004_prose(Vocabularies vocabularies) {
  Config config = seed004(vocabularies);
  config.norms = NormPlacement::post, config.final_norms = false;
  return config;
}

std::vector<Preset> presets() {
  Config no_bias = seed000();
  no_bias.quirks.attention_bias = false;
  return {{"seed000", seed000()}, {"seed000-no-bias", no_bias},
          {"seed001", seed001()}, {"seed002", seed002()},
          {"seed003", seed003()}, {"seed003-asis", seed003_asis()},
          {"seed004", seed004()}, {"seed004-prose", seed004_prose()}};
}

}  // namespace xf::nn::quirks
