#include "tools/stored_model.h"

#include "core/error.h"
#include "nn/checkpoint/run_folder.h"
#include "tools/exchange/import_model.h"

namespace xf::tools {

namespace {

Vocabularies vocabularies_of(const std::string& folder, const nn::Checkpoint& checkpoint) {
  const std::string run = find_vocabularies(folder);
  if (run.empty()) {
    fail(ErrorKind::data,
         "{}: no vocabulary in this folder or above it; give the run folder that xformer-train made", folder);
  }
  Vocabularies vocabularies = load_vocabularies(run);
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
  Vocabularies vocabularies = vocabularies_of(folder, checkpoint);
  return {std::move(checkpoint), std::move(vocabularies), folder};
}

}  // namespace xf::tools
