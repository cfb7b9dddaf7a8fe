// What text is cut with: the vocabularies that -m names, and what is done to a line before.
#pragma once

#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "data/vocabularies.h"

namespace xf::tools {

struct TextModel {
  data::Vocabularies vocabularies;
  bool lowercase = false;  // as the model was trained

  // Of a side's text, lower-cased where the model or `lowercase` says so.
  data::TextPipeline pipeline(const data::Tokenizer& tokenizer, bool lowercase) const;
};

// `paths`: a vocabulary's file, one for each side, or the folder of a model: a run, one of its
// checkpoints, or another toolkit's. Error usage for a folder beside a file; data for what is
// missing or no vocabulary.
TextModel read_text_model(const std::vector<std::string>& paths);

}  // namespace xf::tools
