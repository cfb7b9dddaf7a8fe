#include "tools/formats/loaded_model.h"

#include "core/error.h"
#include "nn/checkpoint/safetensors.h"
#include "nn/model_variant.h"
#include "tools/formats/stored_model.h"
#include "tools/setup/compute_device.h"
#include "tools/setup/model_config.h"
#include "tools/setup/task_data.h"
#include "tools/setup/text_options.h"

namespace xf::tools {

namespace {

template <typename M>
const M& as(const LoadedModel& loaded, const char* wanted) {
  if (const auto* model = dynamic_cast<const M*>(loaded.model.get())) return *model;
  fail(ErrorKind::usage, "{} is not a {} but a model of type {}; {}", loaded.folder, wanted,
       loaded.settings.model.type, use_line(loaded.model->config().type, loaded.folder));
}

}  // namespace

const nn::TranslationModel& LoadedModel::translation_model() const {
  return as<nn::TranslationModel>(*this, "translation model");
}
const nn::Transformer& LoadedModel::transformer() const {
  if (const nn::TransformerConfig& config = translation_model().config();
      !config.supports(nn::Feature::inspection))
    fail(ErrorKind::usage,
         "{} was trained with --{}, and this shows only models without; attention, logits and beam show both",
         folder, config.variant->name());
  return as<nn::Transformer>(*this, "translation model");
}
const nn::LanguageModel& LoadedModel::language_model() const {
  return as<nn::LanguageModel>(*this, "language model");
}
const nn::Classifier& LoadedModel::classifier() const { return as<nn::Classifier>(*this, "classifier"); }

ModelFiles read_model_files(const std::string& path, DType dtype) {
  auto [checkpoint, vocabularies, folder, warnings] = read_stored_model(path);
  auto model = std::unique_ptr<LoadedModel>(new LoadedModel{.settings = settings_of(checkpoint, folder),
                                                            .pipeline = {},
                                                            .vocabularies = std::move(vocabularies),
                                                            .store = nn::ParameterStore(dtype),
                                                            .model = nullptr,
                                                            .folder = folder,
                                                            .warnings = std::move(warnings)});
  model->pipeline = text_pipeline(model->settings.text);
  model->model = nn::make_model(model_config(model->settings, model->vocabularies), model->store);
  return {std::move(model), std::move(checkpoint)};
}

nn::TensorMap quantized_weights(const ModelFiles& files) {
  const LoadedModel& model = *files.model;
  if (const nn::TransformerConfig& config = model.model->config(); !config.supports(nn::Feature::int8))
    fail(ErrorKind::usage, "{} was trained with --{}, and only models without can be quantized", model.folder,
         config.variant->name());
  return nn::quantized(files.checkpoint.model, model.store, model.folder);
}

namespace {

std::unique_ptr<LoadedModel> bound(ModelFiles files, Device device, nn::ParameterStore::Gradients gradients) {
  LoadedModel& model = *files.model;
  if (nn::is_quantized(files.checkpoint.model))
    fail(ErrorKind::usage,
         "{}: its weights are int8, for --precision int8; give the model before quantization", model.folder);
  nn::check_model(files.checkpoint.model, model.store, model.folder);
  model.store.allocate(device, gradients);
  model.model->bind(device);
  nn::load_model(files.checkpoint.model, model.store, model.folder);
  return std::move(files.model);
}

std::unique_ptr<LoadedModel> bound_in_eight_bits(ModelFiles files, Device device) {
  LoadedModel& model = *files.model;
  if (device != Device::cpu())
    fail(ErrorKind::usage, "{}: int8 weights are for the CPU; give --device cpu", model.folder);
  nn::TensorMap& weights = files.checkpoint.model;
  nn::check_model(weights, model.store, model.folder);
  if (!nn::is_quantized(weights)) weights = quantized_weights(files);
  model.store.allocate_quantized();
  model.model->bind(device);
  nn::load_model(weights, model.store, model.folder);
  return std::move(files.model);
}

}  // namespace

std::unique_ptr<LoadedModel> load_model(const std::string& path, Device device, DType dtype,
                                        nn::ParameterStore::Gradients gradients) {
  return bound(read_model_files(path, dtype), device, gradients);
}

std::unique_ptr<LoadedModel> load_quantized_model(const std::string& path, Device device) {
  return bound_in_eight_bits(read_model_files(path, DType::f32), device);
}

std::unique_ptr<LoadedModel> load_model(const std::string& path, Device device,
                                        const ComputeOptions& options) {
  ModelFiles files = read_model_files(path, chosen_dtype(options));
  const bool in_eight_bits =
      !options.precision.empty() ? options.precision == "int8" : nn::is_quantized(files.checkpoint.model);
  return in_eight_bits ? bound_in_eight_bits(std::move(files), device)
                       : bound(std::move(files), device, nn::ParameterStore::Gradients::no);
}

}  // namespace xf::tools
