#include "tools/formats/stored_settings.h"

#include "core/file.h"

namespace xf::tools {

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

}  // namespace xf::tools
