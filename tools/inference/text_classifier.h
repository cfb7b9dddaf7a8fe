// Lines of text to classes, with a probability each.
#pragma once

#include <functional>

#include "core/dist/collective.h"
#include "data/parallel_corpus.h"
#include "data/vocabularies.h"
#include "nn/classifier.h"

namespace xf::tools {

struct Classification {
  std::vector<double> probabilities;  // of each class
  int32_t best = 0;                   // the most probable, of equal ones the first
};

// In the order of `texts`, ids without </s>; a text of nothing is </s> alone. `done` gets the
// number of texts of each batch when it has been read. Throws Stopped between batches.
std::vector<Classification> classify(const nn::Classifier& model, Arena& arena, const data::Sequences& texts,
                                     int32_t eos, int64_t sentences_per_batch, Share share = {},
                                     const std::function<void(int64_t texts)>& done = {});

}  // namespace xf::tools
