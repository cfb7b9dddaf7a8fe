#include "tools/config/commands.h"

#include <fmt/format.h>

#include "core/error.h"
#include "tools/config/build_info.h"
#include "tools/console/message.h"
#include "tools/console/nearest_name.h"

namespace xf::tools {

namespace {

std::string usage(const std::string& program, const std::string& summary,
                  const std::vector<Command>& commands) {
  std::string text = fmt::format("{} COMMAND ...   {}\n\n", program, summary);
  for (const Command& command : commands) text += fmt::format("  {:<16}{}\n", command.name, command.help);
  return text + fmt::format("\n{} COMMAND --help says more; --version, --build-info.\n", program);
}

}  // namespace

int run_command(const std::string& program, const std::string& summary, const std::vector<Command>& commands,
                int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "--help-all" || name == "-h")
    return print_page(usage(program, summary, commands)), 0;
  if (name == "--version") return fmt::print("{}\n", version_line(program)), 0;
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
