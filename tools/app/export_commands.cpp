#include "tools/app/export_commands.h"

#include "tools/app/average_checkpoints.h"
#include "tools/formats/diff_models.h"
#include "tools/formats/export_model.h"
#include "tools/formats/inspect_model.h"
#include "tools/formats/quantize_model.h"

namespace xf::tools {

const std::vector<Command>& export_commands() {
  static const std::vector<Command> commands = {
      {"average", Program::export_average, "the mean of several checkpoints",
       succeeding(average_checkpoints)},
      {"quantize", Program::export_quantize, "the same model in eight bits, a quarter of its size",
       succeeding(quantize_model)},
      {"inspect", Program::export_inspect, "what a model consists of", succeeding(inspect_model)},
      {"diff", Program::export_diff, "in what two models differ", diff_models},
      {"to", Program::export_to, "the model for another toolkit, or one of theirs for this one",
       succeeding(convert_model)},
  };
  return commands;
}

}  // namespace xf::tools
