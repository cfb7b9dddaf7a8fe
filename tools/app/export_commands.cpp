#include "tools/app/export_commands.h"

#include "tools/app/average_checkpoints.h"
#include "tools/formats/diff_models.h"
#include "tools/formats/export_model.h"
#include "tools/formats/inspect_model.h"
#include "tools/formats/quantize_model.h"

namespace xf::tools {

const std::vector<Command>& export_commands() {
  static const std::vector<Command> commands = {
      command("the mean of several checkpoints", AverageOptions(), average_checkpoints),
      command("the same model in eight bits, a quarter of its size", QuantizeOptions(), quantize_model),
      command("what a model consists of", InspectOptions(), inspect_model),
      command("in what two models differ", DiffOptions(), diff_models),
      command("the model for another toolkit, or one of theirs for this one", ExportOptions(), convert_model),
  };
  return commands;
}

}  // namespace xf::tools
