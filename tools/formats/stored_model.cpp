#include "tools/formats/stored_model.h"
#include "data/vocabularies.h"
#include "tools/formats/model_vocabularies.h"

#include "core/error.h"
#include "nn/checkpoint/run_folder.h"
#include "tools/formats/import_model.h"

namespace xf::tools {

namespace {

data::Vocabularies read_vocabularies(const std::string& folder, const nn::Checkpoint& checkpoint) {
  const std::string run = data::find_vocabularies(folder);
  if (run.empty()) {
    fail(ErrorKind::data,
         "{}: no vocabulary in this folder or above it; give the run folder that xformer-train made", folder);
  }
  data::Vocabularies vocabularies = data::load_vocabularies(run);
  check_vocabularies(vocabularies, checkpoint.metadata, folder);
  return vocabularies;
}

}  // namespace

StoredModel read_stored_model(const std::string& path) {
  if (exchange::is_foreign(path)) {
    exchange::ImportedModel imported = exchange::import_model(path);
    return {std::move(imported.checkpoint), std::move(imported.vocabularies), path,
            std::move(imported.warnings)};
  }
  const std::string folder = nn::find_model_folder(path);
  nn::Checkpoint checkpoint = nn::read_model(folder);
  data::Vocabularies vocabularies = read_vocabularies(folder, checkpoint);
  return {std::move(checkpoint), std::move(vocabularies), folder};
}

}  // namespace xf::tools
