// A trained model, read back with all that its text needs.
#pragma once

#include <memory>
#include <string>

#include "data/parallel_corpus.h"
#include "data/vocabularies.h"
#include "nn/checkpoint/checkpoint.h"
#include "nn/classifier.h"
#include "nn/language_model.h"
#include "nn/transformer.h"
#include "tools/config/training_options.h"

namespace xf::tools {

struct LoadedModel {
  ModelSettings settings;
  data::TextPipeline pipeline;
  data::Vocabularies vocabularies;
  nn::ParameterStore store;
  std::unique_ptr<nn::Model> model;
  std::string folder;                      // where the weights came from
  std::vector<std::string> warnings = {};  // of another toolkit's model, for people

  // The model as what it is. Error usage, with the program for it, if it is another.
  const nn::TranslationModel& translation_model() const;
  const nn::Transformer& transformer() const;  // without quirks
  const nn::LanguageModel& language_model() const;
  const nn::Classifier& classifier() const;
};

// A model without memory for its weights yet, and these as they were saved.
struct ModelFiles {
  std::unique_ptr<LoadedModel> model;
  nn::Checkpoint checkpoint;
};

// `path` is a run folder (its averaged model if there is one), one of its checkpoints, or another
// toolkit's folder (tools/formats/import_model.h). Error data for what
// is missing, damaged or does not fit together.
ModelFiles read_model_files(const std::string& path, DType dtype);

// Of an f32 model, its weights in eight bits (nn/checkpoint/checkpoint.h). Error usage for a model
// with quirks.
nn::TensorMap quantized_weights(const ModelFiles& files);

// Errors as read_model_files() has them, and usage for a model in eight bits.
std::unique_ptr<LoadedModel> load_model(
    const std::string& path, Device device, DType dtype,
    nn::ParameterStore::Gradients gradients = nn::ParameterStore::Gradients::no);
// In eight bits, which an f32 model is rounded to. Error usage for another device than the CPU, and
// as above.
std::unique_ptr<LoadedModel> load_quantized_model(const std::string& path, Device device);
// To be used as --precision says; else in eight bits if it was saved so. Errors as above.
std::unique_ptr<LoadedModel> load_model(const std::string& path, Device device,
                                        const ComputeOptions& options);

}  // namespace xf::tools
