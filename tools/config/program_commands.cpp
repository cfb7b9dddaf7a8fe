#include "tools/config/program_commands.h"

#include <fmt/core.h>

#include <map>
#include <memory>
#include <mutex>

#include "core/error.h"
#include "tools/config/bench_options.h"
#include "tools/config/explain_options.h"
#include "tools/config/export_options.h"
#include "tools/config/scoring_options.h"
#include "tools/config/training_options.h"
#include "tools/config/translation_options.h"
#include "tools/config/vocabulary_options.h"

namespace xf::tools {
namespace {

struct Defaults {
  std::shared_ptr<const void> configuration;  // that the list is of
  OptionList options;
};

template <typename Config>
Defaults defaults(Config configuration) {
  const auto kept = std::make_shared<Config>(std::move(configuration));
  return {kept, options_of(*kept)};
}

Defaults make_defaults(Program program) {
  switch (program) {
    case Program::train: return defaults(training_options_from_toml("", "defaults"));
    case Program::translate: return defaults(TranslationOptions());
    case Program::generate: return defaults(GenerationOptions());
    case Program::classify: return defaults(ClassificationOptions());
    case Program::score: return defaults(ScoringOptions());
    case Program::score_lm: return defaults(LossOptions());
    case Program::score_table: return defaults(ResultsOptions());
    case Program::score_smiles: return defaults(MoleculeOptions());
    case Program::vocab_train: return defaults(VocabularyOptions());
    case Program::vocab_encode:
    case Program::vocab_decode: return defaults(CodeOptions(program));
    case Program::vocab_check:
    case Program::vocab_stats: return defaults(CheckOptions(program));
    case Program::vocab_field: return defaults(FieldOptions());
    case Program::vocab_batches: return defaults(PaddingOptions());
    case Program::vocab_demo_corpus: return defaults(DemoCorpusOptions());
    case Program::vocab_demo_molecules: return defaults(DemoMoleculesOptions());
    case Program::export_average: return defaults(AverageOptions());
    case Program::export_quantize: return defaults(QuantizeOptions());
    case Program::export_inspect: return defaults(InspectOptions());
    case Program::export_diff: return defaults(DiffOptions());
    case Program::export_to: return defaults(ExportOptions());
    case Program::bench: return defaults(BenchOptions());
    case Program::bench_report: return defaults(BenchReportOptions());
    case Program::explain_op: return defaults(OpOptions());
    case Program::explain_steps: return defaults(StepsOptions());
    case Program::explain_masks: return defaults(MasksOptions());
    case Program::explain_positions: return defaults(PositionsOptions());
    case Program::explain_attention: return defaults(AttentionOptions());
    case Program::explain_flow: return defaults(FlowOptions());
    case Program::explain_tape: return defaults(TapeOptions());
    case Program::explain_gradients: return defaults(GradientsOptions());
    case Program::explain_beam: return defaults(BeamOptions());
    case Program::explain_logits: return defaults(LogitsOptions());
    case Program::explain_quirk: break;
  }
  return defaults(QuirkOptions());
}

}  // namespace

const OptionList& default_options(Program program) {
  static std::mutex guard;
  static std::map<Program, Defaults> made;  // those that were asked for
  const std::lock_guard lock(guard);
  auto found = made.find(program);
  if (found == made.end()) found = made.emplace(program, make_defaults(program)).first;
  return found->second.options;
}

std::vector<ProgramCommand> commands_of(const std::string& program) {
  std::vector<ProgramCommand> commands;
  for (const Program candidate : all_programs()) {
    const std::vector<std::string> words = split(program_name(candidate), ' ');
    if (words.front() == program) commands.push_back({words.size() > 1 ? words[1] : "", candidate});
  }
  XF_CHECK(!commands.empty(), "option pages: no program is called {}", program);
  return commands;
}

}  // namespace xf::tools
