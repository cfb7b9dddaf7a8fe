#include "tools/loaded_model.h"

#include "core/error.h"
#include "nn/run_folder.h"
#include "tools/model_config.h"
#include "tools/model_text.h"
#include "tools/text_options.h"

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

template <typename M>
const M& as(const LoadedModel& loaded, const char* wanted) {
  if (const auto* model = dynamic_cast<const M*>(loaded.model.get())) return *model;
  fail(ErrorKind::usage, "{} is no {} but a model of type {}; {}", loaded.folder, wanted,
       loaded.training.get_string("type"), use_line(loaded.model->config().type, loaded.folder));
}

}  // namespace

const nn::TranslationModel& LoadedModel::translation_model() const {
  return as<nn::TranslationModel>(*this, "translation model");
}
const nn::Transformer& LoadedModel::transformer() const {
  if (translation_model().config().quirks)
    fail(ErrorKind::usage,
         "{} was trained with --quirks, and this shows models without; attention, logits and beam show both",
         folder);
  return as<nn::Transformer>(*this, "translation model");
}
const nn::LanguageModel& LoadedModel::language_model() const {
  return as<nn::LanguageModel>(*this, "language model");
}
const nn::Classifier& LoadedModel::classifier() const { return as<nn::Classifier>(*this, "classifier"); }

void LoadedModel::quantize() {
  if (registry.device() != Device::cpu())
    fail(ErrorKind::usage, "--precision int8 is for the CPU; give --device cpu as well");
  if (model->config().quirks)
    fail(ErrorKind::usage, "{} was trained with --quirks, and --precision int8 is for models without",
         folder);
  registry.quantize();
}

std::unique_ptr<LoadedModel> load_model(const std::string& path, Device device, DType dtype,
                                        nn::Registry::Gradients gradients) {
  const std::string folder = nn::find_model_folder(path);
  const nn::Checkpoint checkpoint = nn::read_model(folder);
  auto loaded = std::unique_ptr<LoadedModel>(new LoadedModel{
      .training = options_from_toml(Program::train, checkpoint.config, folder + "/config.toml"),
      .pipeline = {},
      .vocabularies = vocabularies_of(folder, checkpoint),
      .registry = nn::Registry(dtype),
      .model = nullptr,
      .folder = folder});
  loaded->pipeline = text_pipeline(loaded->training);
  const nn::TransformerConfig config = model_config(loaded->training, loaded->vocabularies);
  loaded->model = nn::make_model(config, loaded->registry);
  loaded->registry.allocate(device, gradients);
  loaded->model->bind(device);
  nn::load_model(checkpoint.model, loaded->registry, folder);
  return loaded;
}

std::unique_ptr<LoadedModel> load_model(const std::string& path, Device device, const Options& options) {
  auto loaded = load_model(path, device, chosen_dtype(options));
  if (options.get_string("precision") == "int8") loaded->quantize();
  return loaded;
}

}  // namespace xf::tools
