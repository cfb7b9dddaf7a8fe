// A command line and the config file that it names, into a configuration: the command line goes before the file.
#pragma once

#include <optional>
#include <string>

#include "tools/config/option_list.h"
#include "tools/console/message.h"

namespace xf::tools {

// Words before they are checked. `answer`: the text that --help, --version or --build-info ask for.
struct CommandWords {
  GivenOptions from_command_line, from_file;
  std::optional<std::string> answer;
};
// Reads a command line (argv[0] is not looked at) and what it names. Error usage for whatever is wrong.
CommandWords read_command(const OptionList& list, int argc, const char* const* argv);

// Whether a switch was given.
bool asks_for(const GivenOptions& given, std::string_view name);

// Sets the list's configuration; the text that --help and the like, or --dump-config, ask for, which may be empty.
std::optional<std::string> read_options(OptionList list, int argc, const char* const* argv);

// `configuration` with what a command line says; nothing if there is such a text, which is then on the standard output.
template <typename Config>
std::optional<Config> parse_options(Config configuration, int argc, const char* const* argv) {
  const std::optional<std::string> answer = read_options(options_of(configuration), argc, argv);
  if (!answer) return configuration;
  print_page(*answer);
  return std::nullopt;
}

}  // namespace xf::tools
