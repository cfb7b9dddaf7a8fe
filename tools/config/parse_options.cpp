#include "tools/config/parse_options.h"

#include <algorithm>

#include "tools/config/build_info.h"
#include "tools/config/command_line.h"
#include "tools/config/config_file.h"
#include "tools/config/program_commands.h"

namespace xf::tools {

const GivenOption* find_given(const GivenOptions& given, std::string_view name) {
  const auto found = std::ranges::find(given, name, &GivenOption::name);
  return found == given.end() ? nullptr : &*found;
}

const GivenOption* find_given(const GivenOptions& from_file, const GivenOptions& from_command_line,
                              std::string_view name) {
  const GivenOption* const option = find_given(from_command_line, name);
  return option ? option : find_given(from_file, name);
}

bool asks_for(const GivenOptions& given, std::string_view name) {
  const GivenOption* option = find_given(given, name);
  return option && option->words == std::vector<std::string>{"true"};
}

CommandWords read_command(const OptionList& list, int argc, const char* const* argv) {
  const Program program = list.program();
  CommandWords words;
  words.from_command_line = parse_command_line(list, {argv + std::min(argc, 1), argv + argc});
  const GivenOptions& given = words.from_command_line;
  if (asks_for(given, "help")) words.answer = help_text(default_options(program), false);
  if (asks_for(given, "help-all")) words.answer = help_text(default_options(program), true);
  if (asks_for(given, "version")) words.answer = version_line(program_name(program)) + "\n";
  if (asks_for(given, "build-info")) words.answer = build_info();
  const GivenOption* const config = find_given(given, "config");
  if (config && !words.answer) words.from_file = read_config(list, config->words.front());
  return words;
}

std::optional<std::string> read_options(OptionList list, int argc, const char* const* argv) {
  const CommandWords words = read_command(list, argc, argv);
  if (words.answer) return words.answer;
  list.apply(words.from_file, OptionList::Origin::user);
  list.apply(words.from_command_line, OptionList::Origin::user);
  if (asks_for(words.from_command_line, "dump-config")) return list.to_toml();
  return std::nullopt;
}

}  // namespace xf::tools
