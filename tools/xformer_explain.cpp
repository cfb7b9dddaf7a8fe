// xformer-explain: what the engine computes, shown: an op's equations with their values.
#include <fmt/format.h>

#include "core/error.h"
#include "tools/commands.h"
#include "tools/explain/beam_tree.h"
#include "tools/explain/gradient_check.h"
#include "tools/explain/masks.h"
#include "tools/explain/op.h"
#include "tools/explain/output_probabilities.h"
#include "tools/explain/positions.h"
#include "tools/explain/tape_listing.h"
#include "tools/main.h"
#include "tools/options.h"
#include "tools/output_file.h"

namespace xf::tools {
namespace {

// To --output, without the newline that write_line() adds.
void write(const Options& options, std::string text) {
  OutputFile output(options.get_string("output"));
  if (text.ends_with('\n')) text.pop_back();
  output.write_line(text);
  output.close();
}

std::string list_of_ops() {
  std::string text;
  for (const explain::Op& op : explain::ops()) {
    std::string ids, inputs;
    for (const auto& equation : op.equations) ids += fmt::format("{}{}", ids.empty() ? "" : " ", equation.id);
    for (const auto& input : op.inputs) inputs += fmt::format("{}{}", inputs.empty() ? "" : " ", input.name);
    text += fmt::format("{:<15}{:<24}{}\n", op.name, ids, inputs);
  }
  return text;
}

// "NAME=VALUES" words, and --x and --dy.
std::map<std::string, std::string> given_inputs(const Options& options) {
  std::map<std::string, std::string> given;
  for (const char* name : {"x", "dy"}) {
    if (options.is_set(name)) given[name] = options.get_string(name);
  }
  for (const std::string& word : options.get_strings("with")) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos)
      fail(ErrorKind::usage, "--with: '{}' must be NAME=VALUES, as gamma=1,2,3", word);
    given[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return given;
}

void explain_op(const Options& options) {
  if (!options.is_set("op")) return write(options, list_of_ops());
  const auto explanation =
      explain::explain(explain::find_op(options.get_string("op")), given_inputs(options));
  write(options, options.get_string("format") == "json" ? to_json(explanation) : to_text(explanation));
}

int explain_gradients(const Options& options) {
  const explain::GradientReport report = explain::gradients(options);
  write(options, options.get_string("format") == "json" ? to_json(report) : to_text(report));
  explain::demand_good(report);
  return 0;
}

// A command whose page `text` writes, in the format asked for.
std::function<int(const Options&)> writing(std::string (*text)(const Options&)) {
  return [text](const Options& options) { return write(options, text(options)), 0; };
}

int explain_program(int argc, char** argv) {
  static const std::vector<Command> commands = {
      {"op", Program::explain_op, "an op's equations with their values, on numbers of yours",
       succeeding(explain_op)},
      {"masks", Program::explain_masks, "which positions may see which", writing(explain::masks)},
      {"positions", Program::explain_positions, "the sinusoids that tell where a token stands",
       writing(explain::positions)},
      {"tape", Program::explain_tape, "a training step's nodes, last to first, and their memory",
       writing(explain::tape)},
      {"gradients", Program::explain_gradients, "each parameter's gradient, and whether it is right",
       explain_gradients},
      {"beam", Program::explain_beam, "the search for one sentence's translation, step by step",
       writing(explain::beam)},
      {"logits", Program::explain_logits, "what the model would say next at each position",
       writing(explain::logits)},
  };
  return run_command("xformer-explain", "shows what the engine computes", commands, argc, argv);
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_program(argc, argv, xf::tools::explain_program); }
