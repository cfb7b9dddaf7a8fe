// The vocabularies of a training: read, or learnt from its text.
#pragma once

#include "data/parallel_corpus.h"
#include "data/vocabularies.h"
#include "tools/config/training_options.h"
#include "tools/console/announce.h"

namespace xf::tools {

// As the type of the model, --vocabs, --tokenizer, --vocab-size, --joint-vocab say: read, or
// trained from the training text. `announce` is told how learning goes.
data::Vocabularies make_vocabularies(const TrainingOptions& options, const data::ParallelText& text,
                                     const Announce& announce = {});

}  // namespace xf::tools
