// A model as it lies in its folder, one of this project's or of another toolkit's, and what it says
// of itself.
#pragma once

#include <string>
#include <vector>

#include "data/vocabularies.h"
#include "nn/checkpoint/checkpoint.h"
#include "nn/checkpoint/safetensors.h"
#include "tools/config/training_options.h"

namespace xf::tools {

struct StoredModel {
  nn::Checkpoint checkpoint;
  data::Vocabularies vocabularies;
  std::string folder;                      // where the weights came from
  std::vector<std::string> warnings = {};  // of another toolkit's model, for people
};

// `path` is a run folder (its averaged model if there is one), one of its checkpoints, or another
// toolkit's folder (tools/formats/import_model.h). Error data for what is missing, damaged or does
// not fit together.
StoredModel read_stored_model(const std::string& path);

// Of the checkpoint that lies in `folder`. Error usage, with the file and the line, for what is
// wrong there.
ModelSettings settings_of(const nn::Checkpoint& checkpoint, const std::string& folder);
// As it was trained; of a model that was not trained here what it is, and a task's values.
TrainingOptions training_of(const nn::Checkpoint& checkpoint, const std::string& folder);

// The settings of the model in `folder`, read from their file alone.
ModelSettings read_settings(const std::string& folder);

// What a model's file says of the vocabularies that it belongs to, and the comparison with those at
// hand. Error data, beginning with `where`, if they are others. Models of before the checksum are
// compared by hash, which sees other pieces but no other scores.
void describe_vocabularies(const data::Vocabularies& vocabularies, nn::Metadata& metadata);
bool are_of_model(const data::Vocabularies& vocabularies, const nn::Metadata& metadata);
void check_vocabularies(const data::Vocabularies& vocabularies, const nn::Metadata& metadata,
                        const std::string& where);

}  // namespace xf::tools
