// xformer-explain: what the engine computes, shown: an op's equations, a model's steps, what a
// trained model looks at.
#include <utility>

#include "data/display_text.h"
#include "tools/app/ranks.h"
#include "tools/config/command_line.h"
#include "tools/config/program_options.h"
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
#include "tools/explain/tape_listing.h"
#include "tools/tutorials/commands.h"

namespace xf::tools {
namespace {

// To --output, without the newline that write_line() adds.
void write(const PageOptions& options, const std::string& page) {
  OutputFile output(options.output);
  std::string text = data::printable_page(page);
  if (text.ends_with('\n')) text.pop_back();
  output.write_line(text);
  output.close();
}

// With the format that the file's ending promises.
template <typename Config>
Config settled(Config options) {
  take_format_of_output(options_of(options));
  explain::check_text(options_of(std::as_const(options)));
  return options;
}

// A command whose page `text` writes.
template <typename Config>
Command page(const char* help, std::string (*text)(const Config&)) {
  return command(help, Config(), [text](const Config& given) {
    const Config options = settled(given);
    write(options, text(options));
  });
}

// The report comes first, also where a gradient is wrong.
void explain_gradients(const GradientsOptions& given) {
  const GradientsOptions options = settled(given);
  const explain::GradientReport report = explain::gradients(options);
  write(options, options.format == "json" ? to_json(report) : to_text(report));
  explain::demand_good(report);
}

int explain_program(int argc, char** argv) {
  static const std::vector<Command> commands = {
      page("an op's equations, with their values on your numbers", explain::op_page),
      page("a small Transformer step by step, with its numbers", tutorials::steps_page),
      page("attention masks, padded and packed", explain::masks),
      page("sinusoidal positions", explain::positions),
      page("attention weights of each head of a trained model", explain::attention),
      page("animated data flow through the model", explain::flow_document),
      page("a training step's tape, last node first, and its memory", explain::tape),
      command("each parameter's gradient, checked by central differences", GradientsOptions(),
              explain_gradients),
      page("beam search for one sentence, step by step", explain::beam),
      page("most probable next tokens at each position", explain::logits),
      page("deviations of published Transformers, next to the correct form", tutorials::quirk_page),
  };
  return run_command("xformer-explain", "shows what the engine computes", commands, argc, argv);
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_alone(argc, argv, xf::tools::explain_program); }
