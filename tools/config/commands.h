// A program whose first word is a command: xformer-vocab, xformer-explain.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "tools/config/parse_options.h"

namespace xf::tools {

// Shows the text that --help and the like ask for.
using ShowAnswer = std::function<void(const std::string&)>;

struct Command {
  const char* name;
  Program program;
  const char* help;
  std::function<int(int argc, const char* const* argv, const ShowAnswer& show)>
      run;  // its result is the exit code
};

// A command with a configuration of its own; `run` takes it, and returns an exit code, or nothing where it can only succeed or
// throw.
template <typename Config, typename Run>
Command command(const char* name, const char* help, Config configuration, Run run) {
  const auto read_and_run = [configuration, run](int argc, const char* const* argv, const ShowAnswer& show) {
    Config options = configuration;
    const auto answer = read_options(options_of(options), argc, argv);
    if (answer) return show(*answer), 0;
    if constexpr (std::is_void_v<decltype(run(options))>)
      return run(options), 0;
    else
      return run(options);
  };
  return {name, configuration.program, help, read_and_run};
}

// The command that argv[1] names, with the options behind it; or --help, --version, --build-info of the program.
// Error usage, with the nearest name, for any other word and for none.
int run_command(const std::string& program, const std::string& summary, const std::vector<Command>& commands,
                int argc, char** argv);

}  // namespace xf::tools
