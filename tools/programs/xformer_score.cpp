// xformer-score: corpus and sentence scores of translations, with sacreBLEU's flags, digits and output; the loss of a
// model; runs beside each other; the validity of molecules.

#include "tools/app/ranks.h"
#include "tools/app/score_model.h"
#include "tools/config/options.h"
#include "tools/console/message.h"
#include "tools/inference/score_smiles.h"
#include "tools/inference/score_translations.h"
#include "tools/report/results_table.h"

namespace xf::tools {
namespace {

int score(int argc, char** argv) {
  const auto options = parse_options(Program::score, argc, argv);
  if (options) score_translations(*options);
  return 0;
}

int compare_runs(int argc, char** argv) {
  const auto options = parse_options(Program::score_table, argc, argv);
  if (!options) return 0;
  options->require("input");
  std::vector<ResultRow> rows;
  for (const std::string& run : options->get_strings("input")) {
    for (ResultRow& row : result_rows(run, options->get_strings("metrics"))) rows.push_back(std::move(row));
  }
  print_page(options->get_string("format") == "markdown" ? results_as_markdown(rows) : results_as_text(rows));
  return 0;
}

int measure_model(int argc, char** argv) {
  const auto options = parse_options(Program::score_lm, argc, argv);
  if (options) score_model(*options);
  return 0;
}

int judge_molecules(int argc, char** argv) {
  const auto options = parse_options(Program::score_smiles, argc, argv);
  if (options) score_smiles(*options);
  return 0;
}

// `lm`, `table` and `smiles` are commands of their own; whatever else comes first is a metric or its file.
int program(int argc, char** argv) {
  const std::string command = argc < 2 ? "" : argv[1];
  if (command == "lm") return measure_model(argc - 1, argv + 1);
  if (command == "table") return compare_runs(argc - 1, argv + 1);
  if (command == "smiles") return judge_molecules(argc - 1, argv + 1);
  return score(argc, argv);
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_alone(argc, argv, xf::tools::program); }
