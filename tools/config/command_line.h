// The words after a program's name, by the list of its options, and the texts that they ask for.
// CLI11 does the splitting and is seen nowhere else.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tools/config/option.h"
#include "tools/console/message.h"

namespace xf::tools {

// Every program and every command of one, "xformer-train" and "xformer-vocab encode", in the order
// of their pages.
const std::vector<std::string_view>& all_programs();
// The options of one as --help shows them; of training those of --task transformer-tiny. Error
// failure where no program is called so.
const OptionList& default_options(std::string_view program);

struct ProgramCommand {
  std::string name;          // "encode"; empty: the program without a command
  std::string_view program;  // "xformer-vocab encode"
};
// Of "xformer-vocab", in the order of all_programs(). Error failure for a name that no program has.
std::vector<ProgramCommand> commands_of(const std::string& program);

// What was given, in the list's order. Error usage for an unknown option (with the nearest), a
// missing value, a word too many.
GivenOptions parse_command_line(const OptionList& list, const std::vector<std::string>& arguments);

// Error usage for a word that no option takes, with what was probably meant.
[[noreturn]] void refuse_argument(const OptionList& list, const std::vector<std::string>& arguments,
                                  const std::string& word);

// The text of --help or --help-all: groups, and the values that the list has.
std::string help_text(const OptionList& defaults, bool all);

// Words before they are checked. `answer`: the text that --help, --version or --build-info ask for.
struct CommandWords {
  GivenOptions from_command_line, from_file;
  std::optional<std::string> answer;
};
// Reads a command line (argv[0] is not looked at) and the config file that it names. Error usage
// for whatever is wrong.
CommandWords read_command(const OptionList& list, int argc, const char* const* argv);

// Sets the list's configuration, where the command line goes before the config file; the text that
// --help and the like, or --dump-config, ask for, which may be empty.
std::optional<std::string> read_options(OptionList list, int argc, const char* const* argv);

// `configuration` with what a command line says; nothing if there is such a text, which is then on
// the standard output.
template <typename Config>
std::optional<Config> parse_options(Config configuration, int argc, const char* const* argv) {
  const std::optional<std::string> answer = read_options(options_of(configuration), argc, argv);
  if (!answer) return configuration;
  print_page(*answer);
  return std::nullopt;
}

// Shows the text that --help and the like ask for.
using ShowAnswer = std::function<void(const std::string&)>;

// Of a program whose first word is a command: xformer-vocab, xformer-explain.
struct Command {
  std::string_view name, program;
  const char* help;
  // Its result is the exit code.
  std::function<int(int argc, const char* const* argv, const ShowAnswer& show)> run;
};

// A command with a configuration of its own; `run` takes it, and returns an exit code, or nothing
// where it can only succeed or throw.
template <typename Config, typename Run>
Command command(const char* help, Config configuration, Run run) {
  const std::string_view program = configuration.program;
  return {program.substr(program.find(' ') + 1), program, help,
          [configuration, run](int argc, const char* const* argv, const ShowAnswer& show) {
            Config options = configuration;
            const auto answer = read_options(options_of(options), argc, argv);
            if (answer) return show(*answer), 0;
            if constexpr (std::is_void_v<decltype(run(options))>)
              return run(options), 0;
            else
              return run(options);
          }};
}

// The command that argv[1] names, with the options behind it; or --help, --version, --build-info of
// the program. Error usage, with the nearest name, for any other word and for none.
int run_command(const std::string& program, const std::string& summary, const std::vector<Command>& commands,
                int argc, char** argv);

}  // namespace xf::tools
