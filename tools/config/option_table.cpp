#include "tools/config/option_table.h"

#include <algorithm>

#include "tools/config/option_rows.h"

namespace xf::tools {

std::string program_name(Program program) {
  switch (program) {
    case Program::train: return "xformer-train";
    case Program::translate: return "xformer-translate";
    case Program::score: return "xformer-score";
    case Program::score_smiles: return "xformer-score smiles";
    case Program::score_lm: return "xformer-score lm";
    case Program::score_table: return "xformer-score table";
    case Program::generate: return "xformer-generate";
    case Program::classify: return "xformer-classify";
    case Program::vocab_train: return "xformer-vocab train";
    case Program::vocab_encode: return "xformer-vocab encode";
    case Program::vocab_decode: return "xformer-vocab decode";
    case Program::vocab_check: return "xformer-vocab check";
    case Program::vocab_stats: return "xformer-vocab stats";
    case Program::vocab_field: return "xformer-vocab field";
    case Program::vocab_batches: return "xformer-vocab batches";
    case Program::vocab_demo_corpus: return "xformer-vocab demo-corpus";
    case Program::vocab_demo_molecules: return "xformer-vocab demo-molecules";
    case Program::export_average: return "xformer-export average";
    case Program::export_quantize: return "xformer-export quantize";
    case Program::export_inspect: return "xformer-export inspect";
    case Program::export_diff: return "xformer-export diff";
    case Program::export_to: return "xformer-export to";
    case Program::bench: return "xformer-bench";
    case Program::bench_report: return "xformer-bench report";
    case Program::explain_op: return "xformer-explain op";
    case Program::explain_steps: return "xformer-explain steps";
    case Program::explain_masks: return "xformer-explain masks";
    case Program::explain_positions: return "xformer-explain positions";
    case Program::explain_attention: return "xformer-explain attention";
    case Program::explain_flow: return "xformer-explain flow";
    case Program::explain_tape: return "xformer-explain tape";
    case Program::explain_gradients: return "xformer-explain gradients";
    case Program::explain_beam: return "xformer-explain beam";
    case Program::explain_logits: return "xformer-explain logits";
    case Program::explain_quirk: return "xformer-explain quirk";
  }
  return "xformer";
}

const std::vector<Program>& all_programs() {
  static const std::vector<Program> programs = [] {
    std::vector<Program> all;
    for (int i = 0; i < kPrograms; ++i) all.push_back(static_cast<Program>(i));
    return all;
  }();
  return programs;
}

const std::vector<OptionSpec>& option_table() {
  static const std::vector<OptionSpec> table = [] {
    std::vector<OptionSpec> rows;
    for (const OptionGroup& group : {training_options(), explaining_options(), scoring_options(),
                                     exporting_options(), benchmark_options(), using_options()}) {
      for (const OptionSection& section : group) {
        for (OptionSpec row : section.rows) {
          row.group = section.group;
          if (row.programs.empty()) row.programs = section.programs;
          if (row.keep == Keep::fixed) row.keep = section.keep;
          rows.push_back(row);
        }
      }
    }
    return rows;
  }();
  return table;
}

const OptionSpec* find_option(Program program, std::string_view name) {
  const auto& table = option_table();
  const auto row = std::ranges::find_if(
      table, [&](const OptionSpec& spec) { return spec.name == name && spec.accepted_by(program); });
  return row == table.end() ? nullptr : &*row;
}

std::vector<std::string> option_names(Program program, bool in_files) {
  std::vector<std::string> names;
  for (const OptionSpec& spec : option_table()) {
    if (!spec.accepted_by(program) || (in_files && spec.keep == Keep::never)) continue;
    names.emplace_back(spec.name);
  }
  return names;
}

}  // namespace xf::tools
