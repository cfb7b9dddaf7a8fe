// What a command line and the config file that it names make of a configuration; programs that are
// several commands.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "tools/config/build_info.h"
#include "tools/config/command_line.h"
#include "tools/config/config_file.h"
#include "tools/console/message.h"
#include "tools/console/nearest_name.h"

namespace xf::tools {

namespace {

// "warning: --old-name is called --new-name now" to the standard error, a line for each name.
void warn_of_former_names(const GivenOptions& from_file, const GivenOptions& from_command_line) {
  std::set<std::string> told;
  for (const GivenOptions* const given : {&from_file, &from_command_line}) {
    for (const GivenOption& option : *given) {
      for (const std::string& line : option.renamed) {
        if (told.insert(line).second) tell("warning: {}", line);
      }
    }
  }
}

}  // namespace

CommandWords read_command(const OptionList& list, int argc, const char* const* argv) {
  const std::string_view program = list.program();
  CommandWords words;
  words.from_command_line = parse_command_line(list, {argv + std::min(argc, 1), argv + argc});
  const GivenOptions& given = words.from_command_line;
  if (asks_for(given, "help")) words.answer = help_text(default_options(program), false);
  if (asks_for(given, "help-all")) words.answer = help_text(default_options(program), true);
  if (asks_for(given, "version")) words.answer = version_line(std::string(program)) + "\n";
  if (asks_for(given, "build-info")) words.answer = build_info();
  const GivenOption* const config = find_given(given, "config");
  if (config && !words.answer) words.from_file = read_config(list, config->words.front());
  const bool quiet = asks_for(given, "quiet") || asks_for(words.from_file, "quiet");
  if (!quiet && !words.answer) warn_of_former_names(words.from_file, given);
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

namespace {

std::string usage(const std::string& program, const std::string& summary,
                  const std::vector<Command>& commands) {
  std::string text = fmt::format("{} COMMAND ...   {}\n\n", program, summary);
  for (const Command& command : commands) text += fmt::format("  {:<16}{}\n", command.name, command.help);
  return text + fmt::format(
                    "\n"
                    "{} COMMAND --help lists a command's options; --version, --build-info.\n",
                    program);
}

}  // namespace

int run_command(const std::string& program, const std::string& summary, const std::vector<Command>& commands,
                int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "--help-all" || name == "-h")
    return print_page(usage(program, summary, commands)), 0;
  if (name == "--version") return fmt::print("{}\n", version_line(std::string(program))), 0;
  if (name == "--build-info") return print_page(build_info()), 0;
  std::vector<std::string> names;
  for (const Command& command : commands) {
    names.emplace_back(command.name);
    if (name == command.name) return command.run(argc - 1, argv + 1, print_page);
  }
  if (name.empty()) fail(ErrorKind::usage, "{} needs a command: {}", program, fmt::join(names, ", "));
  fail(ErrorKind::usage, "{} has no command '{}'{} (one of {})", program, name, did_you_mean(name, names),
       fmt::join(names, ", "));
}

}  // namespace xf::tools
