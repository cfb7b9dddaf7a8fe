// xformer-score: corpus and sentence scores of translations, with sacreBLEU's flags, digits and
// output; the loss of a model; runs beside each other; the validity of molecules.

#include "tools/app/ranks.h"
#include "tools/app/score_model.h"
#include "tools/config/command_line.h"
#include "tools/config/program_options.h"
#include "tools/console/message.h"
#include "tools/inference/score_smiles.h"
#include "tools/inference/score_translations.h"
#include "tools/report/results_table.h"

namespace xf::tools {
namespace {

void compare_runs(const ResultsOptions& options) {
  options_of(options).require("input");
  std::vector<ResultRow> rows;
  for (const std::string& run : options.input) {
    for (ResultRow& row : result_rows(run, options.metrics)) rows.push_back(std::move(row));
  }
  print_page(options.format == "markdown" ? results_as_markdown(rows) : results_as_text(rows));
}

// `lm`, `table` and `smiles` are commands of their own; whatever else comes first is a metric or
// its file.
int program(int argc, char** argv) {
  static const std::vector<Command> commands = {command("", LossOptions(), score_model),
                                                command("", ResultsOptions(), compare_runs),
                                                command("", MoleculeOptions(), score_smiles)};
  for (const Command& command : commands) {
    if (argc > 1 && std::string_view(argv[1]) == command.name)
      return command.run(argc - 1, argv + 1, print_page);
  }
  const auto options = parse_options(ScoringOptions(), argc, argv);
  if (options) score_translations(*options);
  return 0;
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_alone(argc, argv, xf::tools::program); }
