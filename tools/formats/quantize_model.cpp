#include "tools/formats/quantize_model.h"
#include "tools/config/program_options.h"

#include <fmt/core.h>

#include <filesystem>

#include "core/error.h"
#include "tools/console/message.h"
#include "tools/console/progress.h"
#include "tools/formats/import_model.h"
#include "tools/formats/loaded_model.h"
#include "tools/formats/output_folder.h"

namespace xf::tools {

namespace {

std::string size_of_weights(const std::string& folder) {
  return grouped(static_cast<int64_t>(std::filesystem::file_size(folder + "/model.safetensors")));
}

// Another toolkit's file of weights has another name.
std::string origin(const std::string& model) {
  return exchange::is_foreign(model) ? fmt::format("made of {}", model)
                                     : fmt::format("{} has {}", model, size_of_weights(model));
}

}  // namespace

void quantize_model(const QuantizeOptions& options) {
  options_of(options).require("model");
  options_of(options).require("output");
  const std::string output = model_output(options.output, options.overwrite);
  const ModelFiles files = read_model_files(options.model, DType::f32);
  const nn::Checkpoint& from = files.checkpoint;
  const std::string& folder = files.model->folder;
  if (nn::is_quantized(from.model)) fail(ErrorKind::usage, "{} has int8 weights already", folder);
  nn::Checkpoint result{.update = from.update,
                        .model = quantized_weights(files),
                        .optimizer = {},
                        .metadata = from.metadata,
                        .state = {},  // no training goes on from it
                        .model_config = to_toml(files.model->settings),
                        .training_config = from.training_config,
                        .companions = files.model->vocabularies.files()};
  if (from.state.has("averaged"))
    result.state.set("averaged", from.state.get<std::vector<int64_t>>("averaged"));
  write_model(output, std::move(result), "");
  if (options.quiet) return;
  tell("{}: {} bytes, {}", output, size_of_weights(output), origin(folder));
}

}  // namespace xf::tools
