#include "tools/formats/weights_file.h"
#include "tools/config/export_options.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/file.h"
#include "nn/checkpoint/run_folder.h"
#include "tools/config/config_file.h"
#include "tools/console/message.h"
#include "tools/console/output_file.h"
#include "tools/console/progress.h"
#include "tools/formats/import_model.h"

namespace xf::tools::exchange {

namespace {

void write_text(const std::string& path, const nn::TensorMap& tensors) {
  OutputFile output(path);
  for (const auto& [name, tensor] : tensors) {
    std::string line = name;
    for (int i = 0; i < tensor.rank(); ++i) line += fmt::format(" {}", tensor.dim(i));
    output.write_line(line);
    // A vector is one row.
    const int64_t rows = tensor.rank() == 1 ? 1 : tensor.rows(), width = tensor.numel() / rows;
    for (int64_t i = 0; i < rows; ++i) {
      const auto* row = tensor.data<float>() + i * width;
      output.write_line(fmt::format("{}", fmt::join(row, row + width, " ")));
    }
  }
  output.close();
}

}  // namespace

void write_weights(const ExportOptions& options) {
  const std::string& output = options.output;
  refuse_existing(output, options.overwrite);
  check_folder_of(output);
  const std::string& model = options.model;
  const bool foreign = is_foreign(model);
  const std::string folder = foreign ? model : nn::find_model_folder(model);
  const nn::Checkpoint checkpoint = foreign ? import_model(model).checkpoint : nn::read_model(folder);
  if (nn::is_quantized(checkpoint.model))
    fail(ErrorKind::usage, "{}: its weights are in eight bits; give the model that it was made of", folder);
  refuse_input_as_output(output);
  if (options.format == "text") {
    write_text(output, checkpoint.model);
  } else {
    nn::Metadata metadata = checkpoint.metadata;
    metadata["config"] = config_as_json(
        checkpoint.training_config.empty() ? checkpoint.model_config : checkpoint.training_config, folder);
    nn::write_safetensors(output, checkpoint.model, metadata);
  }
  if (!options.quiet)
    tell("{}: {} of {}", output, counted(static_cast<int64_t>(checkpoint.model.size()), "tensor"), folder);
}

}  // namespace xf::tools::exchange
