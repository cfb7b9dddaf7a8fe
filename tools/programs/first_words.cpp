#include "tools/explain/flow.h"
#include "tools/explain/op.h"
#include "tools/programs/option_pages.h"
#include "tools/tutorials/commands.h"

namespace xf::tools {

std::vector<std::string> first_words(const ProgramCommand& command) {
  std::vector<std::string> words;
  const OptionList& list = default_options(command.program);
  if (command.program == "xformer-score") return values_of(list.at("metrics"));
  if (command.program == "xformer-explain flow") return explain::flow_subjects();
  if (command.program == "xformer-explain op") {
    for (const explain::Op& op : explain::ops()) words.emplace_back(op.name);
    return words;
  }
  if (command.program == "xformer-explain quirk") return tutorials::quirk_ids();
  for (const Option& option : list) {
    if (option.positional && !option.rare) return values_of(option);
  }
  return {};
}

}  // namespace xf::tools
