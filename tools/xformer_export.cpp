// xformer-export: makes other models of trained ones, and says what a model consists of.
#include "tools/average_checkpoints.h"
#include "tools/commands.h"
#include "tools/diff_models.h"
#include "tools/exchange/export_model.h"
#include "tools/inspect_model.h"
#include "tools/main.h"
#include "tools/quantize_model.h"

namespace xf::tools {
namespace {

int export_program(int argc, char** argv) {
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
  return run_command("xformer-export",
                     "averages checkpoints, makes models small, looks into them, compares them and exchanges "
                     "them with other "
                     "toolkits",
                     commands, argc, argv);
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_program(argc, argv, xf::tools::export_program); }
