// A model as it lies in its folder, one of this project's or of another toolkit's.
#pragma once

#include <string>
#include <vector>

#include "data/vocabularies.h"
#include "nn/checkpoint/checkpoint.h"

namespace xf::tools {

struct StoredModel {
  nn::Checkpoint checkpoint;
  data::Vocabularies vocabularies;
  std::string folder;                      // where the weights came from
  std::vector<std::string> warnings = {};  // of another toolkit's model, for people
};

// `path` is a run folder (its averaged model if there is one), one of its checkpoints, or another toolkit's folder
// (tools/formats/import_model.h). Error data for what is missing, damaged or does not fit together.
StoredModel read_stored_model(const std::string& path);

}  // namespace xf::tools
