// A trained model, read back with all that its text needs.
#pragma once

#include <memory>
#include <string>

#include "data/parallel_corpus.h"
#include "nn/classifier.h"
#include "nn/language_model.h"
#include "nn/transformer.h"
#include "tools/vocabularies.h"

namespace xf::tools {

struct LoadedModel {
  Options training;  // the options it was trained with
  data::TextPipeline pipeline;
  Vocabularies vocabularies;
  nn::Registry registry;
  std::unique_ptr<nn::Model> model;
  std::string folder;  // where the weights came from

  // The model as what it is. Error usage, with the program for it, if it is another.
  const nn::TranslationModel& translation_model() const;
  const nn::Transformer& transformer() const;  // without quirks
  const nn::LanguageModel& language_model() const;
  const nn::Classifier& classifier() const;

  // Products read weights in eight bits from now on. Error usage for a model with quirks, or one that is not f32 on the
  // CPU.
  void quantize();
};

// `path` is a run folder (its averaged model if there is one) or one of its checkpoints. Error data for what
// is missing, damaged or does not fit together.
std::unique_ptr<LoadedModel> load_model(const std::string& path, Device device, DType dtype,
                                        nn::Registry::Gradients gradients = nn::Registry::Gradients::no);
// To be used as --precision says. Errors as above, and those of quantize().
std::unique_ptr<LoadedModel> load_model(const std::string& path, Device device, const Options& options);

}  // namespace xf::tools
