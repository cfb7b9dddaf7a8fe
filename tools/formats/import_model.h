// Another toolkit's model as one of this project's.
#pragma once

#include <string>

#include "data/vocabularies.h"
#include "tools/formats/exchanged_model.h"

namespace xf::tools::exchange {

// Whether `path` is of a toolkit that is read: a folder of CTranslate2's, of MarianMT of
// transformers, or of Marian's, whose .npz may also be named itself; or a folder that has only
// other files of one of them, so that reading it says what is missing.
bool is_foreign(const std::string& path);
// Error usage for one where a model of ours is needed.
void refuse_foreign(const std::string& path);

// What a run's folder says of a model: tensors, vocabularies, and as the configuration the sizes
// with the values of --task transformer-base for the rest, so that it can be trained further.
struct ImportedModel {
  nn::Checkpoint checkpoint;
  data::Vocabularies vocabularies;
  std::vector<std::string> warnings;  // for people
};

// Errors as the readers of the formats have them.
ImportedModel import_model(const std::string& folder);

}  // namespace xf::tools::exchange
