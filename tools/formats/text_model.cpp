#include "tools/formats/text_model.h"

#include <filesystem>

#include "core/error.h"
#include "nn/checkpoint/run_folder.h"
#include "tools/formats/given_vocabulary.h"
#include "tools/formats/import_model.h"
#include "tools/formats/stored_model.h"
#include "tools/setup/text_options.h"

namespace xf::tools {

namespace {

bool lowercases(const ModelSettings& settings) { return text_pipeline(settings.text).lowercase; }

TextModel of_folder(const std::string& path) {
  if (exchange::is_foreign(path)) {
    const StoredModel model = read_stored_model(path);
    return {model.vocabularies, lowercases(settings_of(model.checkpoint, path))};
  }
  const std::string folder = nn::find_model_folder(path), run = data::find_vocabularies(folder);
  return {data::load_vocabularies(run.empty() ? path : run), lowercases(read_settings(folder))};
}

}  // namespace

data::TextPipeline TextModel::pipeline(const data::Tokenizer& tokenizer, bool also) const {
  return {.lowercase = (lowercase || also) && !tokenizer.lowercases()};
}

TextModel read_text_model(const std::vector<std::string>& paths) {
  const auto is_model = [](const std::string& path) {
    std::error_code unknown;
    return std::filesystem::is_directory(path, unknown) || exchange::is_foreign(path);
  };
  if (paths.size() == 1 && is_model(paths[0])) return of_folder(paths[0]);
  TextModel model;
  for (const std::string& path : paths) {
    if (is_model(path))
      fail(ErrorKind::usage, "model: {} is a model, which has the vocabularies of both sides; give it alone",
           path);
    model.vocabularies.target = read_given_vocabulary(path);
    if (!model.vocabularies.source) model.vocabularies.source = model.vocabularies.target;
  }
  return model;
}

}  // namespace xf::tools
