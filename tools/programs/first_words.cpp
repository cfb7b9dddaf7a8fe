#include "tools/explain/flow.h"
#include "tools/explain/op.h"
#include "tools/programs/option_pages.h"
#include "tools/tutorials/commands.h"

namespace xf::tools {

std::vector<std::string> first_words(const ProgramCommand& command) {
  std::vector<std::string> words;
  switch (command.program) {
    case Program::score: return values_of(default_options(Program::score).at("metrics"));
    case Program::explain_flow: return explain::flow_subjects();
    case Program::explain_op:
      for (const explain::Op& op : explain::ops()) words.emplace_back(op.name);
      return words;
    case Program::explain_quirk: return tutorials::quirk_ids();
    default: break;
  }
  for (const Option& option : default_options(command.program)) {
    if (option.positional && !option.rare) return values_of(option);
  }
  return {};
}

}  // namespace xf::tools
