#include "tools/app/export_commands.h"

#include "tools/app/average_checkpoints.h"
#include "tools/formats/diff_models.h"
#include "tools/formats/export_model.h"
#include "tools/formats/inspect_model.h"
#include "tools/formats/quantize_model.h"

namespace xf::tools {

const std::vector<Command>& export_commands() {
  static const std::vector<Command> commands = {
      command("average several checkpoints", AverageOptions(), average_checkpoints),
      command("quantize a model to int8, a quarter of its size", QuantizeOptions(), quantize_model),
      command("show a model's tensors, settings and vocabulary", InspectOptions(), inspect_model),
      command("show the differences between two models", DiffOptions(), diff_models),
      command("convert a model to another toolkit's format, or from one", ExportOptions(), convert_model),
  };
  return commands;
}

}  // namespace xf::tools
