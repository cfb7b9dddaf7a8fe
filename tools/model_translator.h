// A loaded model and a search over it, as the options of xformer-translate say.
#pragma once

#include <memory>

#include "core/arena.h"
#include "tools/loaded_model.h"
#include "tools/translator.h"

namespace xf::tools {

struct ModelTranslator {
  // `options`: of Program::translate, "model" among them; what they leave open is as the model was trained to be used.
  // Sets the number of threads. Errors as chosen_device() and load_model() have them.
  explicit ModelTranslator(const Options& options);
  ModelTranslator(const ModelTranslator&) = delete;
  ModelTranslator& operator=(const ModelTranslator&) = delete;

  const Device device;
  const std::unique_ptr<LoadedModel> model;
  Arena arena;
  const nn::SearchOptions search;
  const Translator translator;  // refers to model and arena
};

}  // namespace xf::tools
