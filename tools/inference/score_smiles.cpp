#include "tools/inference/score_smiles.h"
#include "tools/config/program_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/stop.h"
#include "data/smiles/score.h"
#include "data/text_file.h"
#include "tools/console/output_file.h"

namespace xf::tools {
namespace {

void write_faults(const data::SmilesScore& score, OutputFile& output) {
  for (const auto& [line, what] : score.faults) output.write_line(fmt::format("{}\t{}", line + 1, what));
  output.close();
}

double percentage(int64_t part, int64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(std::max<int64_t>(whole, 1));
}

}  // namespace

void score_smiles(const MoleculeOptions& options) {
  watch_signals();
  const std::string& input = options.input;
  const auto lines = data::read_lines(input);
  if (lines.empty()) fail(ErrorKind::data, "{}: is empty; expected a SMILES string a line", input);
  std::vector<std::string> train;
  if (!options.train.empty()) train = data::read_lines(options.train);
  std::optional<OutputFile> faults;  // opened before the work is done
  if (!options.faults.empty()) faults.emplace(options.faults);
  const data::SmilesScore score = data::score_smiles(lines, !options.train.empty() ? &train : nullptr);
  if (faults) write_faults(score, *faults);
  if (score.named > 0) {
    fmt::print(stderr,
               "warning: {}: {} of {} lines have text after a space or a tab, which is taken for a name\n",
               input, score.named, score.lines);
  }
  fmt::print("lines   {}\n", score.lines);
  fmt::print("read    {:.2f}\n", percentage(score.read, score.lines));
  fmt::print("valid   {:.2f}\n", percentage(score.valid, score.read));
  fmt::print("unique  {:.2f}\n", percentage(score.unique, score.valid));
  if (score.novel) fmt::print("novel   {:.2f}\n", percentage(*score.novel, score.unique));
}

}  // namespace xf::tools
