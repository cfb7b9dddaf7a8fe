#include "tools/formats/stored_model.h"
#include "data/vocabularies.h"

#include "core/error.h"
#include "core/file.h"
#include "nn/checkpoint/run_folder.h"
#include "nn/checkpoint/safetensors.h"
#include "tools/formats/import_model.h"
#include "tools/setup/read_training_options.h"

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

// Keys in the metadata of model.safetensors.
constexpr const char* kHash = "vocabulary";
constexpr const char* kChecksum = "vocabulary_crc64";

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

ModelSettings settings_of(const nn::Checkpoint& checkpoint, const std::string& folder) {
  if (checkpoint.model_config.empty()) return training_of(checkpoint, folder);
  return model_settings_from_toml(checkpoint.model_config, nn::model_config_path(folder));
}

TrainingOptions training_of(const nn::Checkpoint& checkpoint, const std::string& folder) {
  if (checkpoint.training_config.empty())
    return training_options_from_toml(checkpoint.model_config, nn::model_config_path(folder));
  return training_options_from_toml(checkpoint.training_config, nn::training_config_path(folder));
}

ModelSettings read_settings(const std::string& folder) {
  const std::string path = nn::model_config_path(folder);
  const std::string text = read_regular_file(path);
  if (path == nn::training_config_path(folder)) return training_options_from_toml(text, path);
  return model_settings_from_toml(text, path);
}

void describe_vocabularies(const data::Vocabularies& vocabularies, nn::Metadata& metadata) {
  metadata[kHash] = vocabularies.hash();
  metadata[kChecksum] = vocabularies.checksum();
}

bool are_of_model(const data::Vocabularies& vocabularies, const nn::Metadata& metadata) {
  const auto differs = [&](const char* key, const std::string& now) {
    const auto then = metadata.find(key);
    return then != metadata.end() && then->second != now;
  };
  return !differs(kHash, vocabularies.hash()) && !differs(kChecksum, vocabularies.checksum());
}

void check_vocabularies(const data::Vocabularies& vocabularies, const nn::Metadata& metadata,
                        const std::string& where) {
  if (are_of_model(vocabularies, metadata)) return;
  fail(ErrorKind::data,
       "{}: was trained with another vocabulary, or the vocabulary's file is damaged; "
       "put the run's own vocab.* back",
       where);
}

}  // namespace xf::tools
