// Which source tokens the tokens of a translation come from, by the decoder's cross-attention: the
// mean over one layer's heads of the probabilities (AT2) with which it looked at each source token
// when it was to say the token. Of several layers the last but one tends to tell best (Garg, Peitz,
// Nallasamy, Paulik 2019, arXiv:1909.02074).
#pragma once

#include <cstdint>
#include <vector>

#include "core/arena.h"
#include "nn/translation_model.h"

namespace xf::nn {

struct Alignment {
  size_t targets = 0, sources = 0;  // tokens of either side, </s> counted
  std::vector<double> weights;      // [targets, sources]; a row sums to 1
  double at(size_t target, size_t source) const { return weights[target * sources + source]; }
};

// The last but one of a decoder's layers, from 0; of a single one, this one.
int64_t usual_alignment_layer(const TransformerConfig& config);

// Of each sentence of a batch that has targets, which are taken as given; a row for each token of
// target_out. `layer`: from 0; of an ensemble the mean over the models that have it. Memory comes
// from the arena and is back there on return. Error usage if there is no such layer.
std::vector<Alignment> align(const TranslationModel& model, Arena& arena, const PackedBatch& batch,
                             int64_t layer);

}  // namespace xf::nn
