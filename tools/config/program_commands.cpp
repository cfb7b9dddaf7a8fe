#include "tools/config/program_commands.h"

#include <fmt/core.h>

#include "core/error.h"
#include "tools/config/option_value.h"
#include "tools/config/presets.h"

namespace xf::tools {

namespace {

std::vector<const OptionSpec*> options_of(Program program) {
  std::vector<const OptionSpec*> options;
  for (const OptionSpec& spec : option_table()) {
    if (spec.accepted_by(program)) options.push_back(&spec);
  }
  return options;
}

}  // namespace

std::vector<ProgramCommand> commands_of(const std::string& program) {
  std::vector<ProgramCommand> commands;
  for (const Program candidate : all_programs()) {
    const std::vector<std::string> words = split(program_name(candidate), ' ');
    if (words.front() != program) continue;
    commands.push_back({words.size() > 1 ? words[1] : "", candidate, options_of(candidate)});
  }
  XF_CHECK(!commands.empty(), "option pages: no program is called {}", program);
  return commands;
}

std::vector<std::string> spellings_of(const OptionSpec& spec) {
  std::vector<std::string> spellings = split(spec.aliases, ' ');
  spellings.push_back("--" + std::string(spec.name));
  return spellings;
}

std::vector<std::string> values_of(const OptionSpec& spec) {
  if (spec.name == "task" && spec.accepted_by(Program::train)) {
    std::vector<std::string> names;
    for (const Preset& preset : presets()) names.emplace_back(preset.name);
    return names;
  }
  if (spec.choices.empty()) return {};
  return split(spec.choices, '|');
}

std::string value_text(const OptionSpec& spec) {
  return std::string(spec.value_name.empty() ? spec.choices : spec.value_name);
}

std::string help_with_default(const OptionSpec& spec, const std::string& default_text) {
  std::string help(spec.help);
  if (!spec.choices.empty() && !spec.value_name.empty()) help += fmt::format(" ({})", spec.choices);
  if (!default_text.empty() && default_text != "false") help += fmt::format(" [{}]", default_text);
  return help;
}

}  // namespace xf::tools
