// xformer-explain: what the engine computes, shown: an op's equations, a model's steps, what a trained model looks at.
#include "data/display_text.h"
#include "tools/app/ranks.h"
#include "tools/config/commands.h"
#include "tools/config/options.h"
#include "tools/config/output_format.h"
#include "tools/console/output_file.h"
#include "tools/explain/attention_maps.h"
#include "tools/explain/beam_tree.h"
#include "tools/explain/flow.h"
#include "tools/explain/gradient_check.h"
#include "tools/explain/masks.h"
#include "tools/explain/op.h"
#include "tools/explain/output_probabilities.h"
#include "tools/explain/page.h"
#include "tools/explain/positions.h"
#include "tools/explain/steps.h"
#include "tools/explain/tape_listing.h"
#include "tools/tutorials/quirk.h"

namespace xf::tools {
namespace {

// To --output, without the newline that write_line() adds.
void write(const Options& options, const std::string& page) {
  OutputFile output(options.get_string("output"));
  std::string text = data::printable_page(page);
  if (text.ends_with('\n')) text.pop_back();
  output.write_line(text);
  output.close();
}

// A command whose page `text` writes, in the format asked for, or that of the file's ending.
std::function<int(const Options&)> writing(std::string (*text)(const Options&)) {
  return [text](const Options& given) {
    const Options options = with_format_of_output(given);
    explain::check_text(options);
    return write(options, text(options)), 0;
  };
}

// The report comes first, also where a gradient is wrong.
int explain_gradients(const Options& given) {
  const Options options = with_format_of_output(given);
  explain::check_text(options);
  const explain::GradientReport report = explain::gradients(options);
  write(options, options.get_string("format") == "json" ? to_json(report) : to_text(report));
  explain::demand_good(report);
  return 0;
}

int explain_program(int argc, char** argv) {
  static const std::vector<Command> commands = {
      {"op", Program::explain_op, "an op's equations with their values, on numbers of yours",
       writing(explain::op_page)},
      {"steps", Program::explain_steps, "a small Transformer, one step after the other, with its numbers",
       writing(explain::steps_page)},
      {"masks", Program::explain_masks, "which positions may see which", writing(explain::masks)},
      {"positions", Program::explain_positions, "the sinusoids that tell where a token stands",
       writing(explain::positions)},
      {"attention", Program::explain_attention, "what each head of a trained model looks at",
       writing(explain::attention)},
      {"flow", Program::explain_flow, "data on its way through the model, as an animated picture",
       writing(explain::flow_document)},
      {"tape", Program::explain_tape, "a training step's nodes, last to first, and their memory",
       writing(explain::tape)},
      {"gradients", Program::explain_gradients, "each parameter's gradient, and whether it is right",
       explain_gradients},
      {"beam", Program::explain_beam, "the search for one sentence's translation, step by step",
       writing(explain::beam)},
      {"logits", Program::explain_logits, "what the model would say next at each position",
       writing(explain::logits)},
      {"quirk", Program::explain_quirk, "what published Transformers do otherwise, beside what is correct",
       writing(explain::quirk)},
  };
  return run_command("xformer-explain", "shows what the engine computes", commands, argc, argv);
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_alone(argc, argv, xf::tools::explain_program); }
