// A program whose first word is a command: xformer-vocab, xformer-explain.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/config/options.h"

namespace xf::tools {

struct Command {
  const char* name;
  Program program;
  const char* help;
  std::function<int(const Options&)> run;  // its result is the exit code
};

// A command that can only succeed or throw.
std::function<int(const Options&)> succeeding(void (*run)(const Options&));

// The command that argv[1] names, with the options behind it; or --help, --version, --build-info of the program.
// Error usage, with the nearest name, for any other word and for none.
int run_command(const std::string& program, const std::string& summary, const std::vector<Command>& commands,
                int argc, char** argv);

}  // namespace xf::tools
