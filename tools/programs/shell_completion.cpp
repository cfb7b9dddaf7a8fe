// Completion for bash, zsh and fish from the option table: options, the words that one accepts,
// commands, else files.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tools/config/command_line.h"
#include "tools/console/shell_word.h"
#include "tools/programs/option_pages.h"

namespace xf::tools {

namespace {

bool takes_value(const Option& option) { return !option.is_switch(); }

std::string identifier(std::string program) {
  std::ranges::replace(program, '-', '_');
  return program;
}

std::vector<std::string> command_names(const std::vector<ProgramCommand>& commands) {
  std::vector<std::string> names;
  for (const ProgramCommand& command : commands) {
    if (!command.name.empty()) names.push_back(command.name);
  }
  return names;
}

// Commands, and where a program works without one, the words that its first argument can be.
std::vector<std::string> words_of_program(const std::vector<ProgramCommand>& commands) {
  std::vector<std::string> words = command_names(commands);
  for (const ProgramCommand& command : commands) {
    if (command.name.empty()) std::ranges::copy(first_words(command), std::back_inserter(words));
  }
  return words;
}

// Of the help text, what a list of options has room for.
std::string short_help(const Option& option) {
  const std::string help(option.help);
  return help.substr(0, std::min(help.find(';'), help.size()));
}

// --- bash ---

std::string bash_case(const ProgramCommand& command) {
  std::string values, names;
  for (const Option& option : default_options(command.program)) {
    const std::vector<std::string> spellings = spellings_of(option), words = values_of(option);
    names += fmt::format("{}{}", names.empty() ? "" : " ", fmt::join(spellings, " "));
    if (words.empty()) continue;
    values += fmt::format("        {}) words='{}' ;;\n", fmt::join(spellings, " | "), fmt::join(words, " "));
  }
  std::string text =
      fmt::format("    {})\n      options='{}'\n", command.name.empty() ? "*" : command.name, names);
  const std::vector<std::string> firsts = first_words(command);
  if (!firsts.empty() && !command.name.empty())
    text += fmt::format("      firsts='{}'\n", fmt::join(firsts, " "));
  if (!values.empty()) text += fmt::format("      case $previous in\n{}      esac\n", values);
  return text + "      ;;\n";
}

// --- zsh ---

// In the brackets of _arguments' specifications.
std::string zsh_help(const Option& option) {
  std::string help;
  for (const char c : short_help(option))
    help += c == '[' || c == ']' || c == ':' ? fmt::format("\\{}", c) : std::string(1, c);
  return help;
}

std::string zsh_values(const Option& option) {
  const std::vector<std::string> words = values_of(option);
  return words.empty() ? "_files" : fmt::format("({})", fmt::join(words, " "));
}

std::string zsh_arguments(const ProgramCommand& command, const char* indent) {
  std::string text = fmt::format("{}_arguments -S", indent);
  for (const Option& option : default_options(command.program)) {
    for (const std::string& spelling : spellings_of(option)) {
      std::string entry = fmt::format("*{}[{}]", spelling, zsh_help(option));
      if (takes_value(option)) entry += fmt::format(":{}:{}", option.name, zsh_values(option));
      text += fmt::format(" \\\n{}  {}", indent, single_quoted(entry));
    }
  }
  const std::vector<std::string> firsts = first_words(command);
  if (!firsts.empty() && !command.name.empty())
    text += fmt::format(" \\\n{}  '1:argument:({})'", indent, fmt::join(firsts, " "));
  return text + fmt::format(" \\\n{}  '*:file:_files'\n", indent);
}

// --- fish ---

std::string fish_spelling(const std::string& spelling) {
  if (spelling.starts_with("--")) return " -l " + spelling.substr(2);
  return (spelling.size() == 2 ? " -s " : " -o ") + spelling.substr(1);
}

std::string fish_option(const std::string& program, const std::string& condition, const Option& option) {
  std::string line = fmt::format("complete -c {}{}", program, condition);
  for (const std::string& spelling : spellings_of(option)) line += fish_spelling(spelling);
  const std::vector<std::string> words = values_of(option);
  if (!words.empty()) {
    line += fmt::format(" -xa '{}'", fmt::join(words, " "));
  } else if (takes_value(option)) {
    line += " -r";
  }
  return line + fmt::format(" -d {}\n", single_quoted(short_help(option), "\\'"));
}

}  // namespace

std::vector<std::string> installed_programs() {
  std::vector<std::string> programs;
  for (const std::string_view program : all_programs()) {
    const std::string name(program.substr(0, program.find(' ')));
    if (std::ranges::find(programs, name) == programs.end()) programs.push_back(name);
  }
  return programs;
}

std::string bash_completion(const std::string& program) {
  std::vector<ProgramCommand> commands = commands_of(program);
  // The program without a command comes last: its pattern is *.
  std::ranges::stable_partition(commands,
                                [](const ProgramCommand& command) { return !command.name.empty(); });
  std::string cases;
  for (const ProgramCommand& command : commands) cases += bash_case(command);
  const std::vector<std::string> names = words_of_program(commands);
  const std::string function = "_" + identifier(program);
  std::string text = fmt::format(
      "# bash completion of {0}; made from its options.\n"
      "{1}() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} options='' "
      "words='' firsts='' word\n"
      "  case ${{COMP_WORDS[1]}} in\n{2}  esac\n",
      program, function, cases);
  if (!names.empty()) {
    text += fmt::format("  if [ \"$COMP_CWORD\" = 1 ]; then words='{} --help --version --build-info'; fi\n",
                        fmt::join(names, " "));
  }
  // A command's first word, until it is there; behind an option stands what that takes.
  return text + fmt::format(
                    "  if [ \"$COMP_CWORD\" -gt 1 ] && [ -z \"$words\" ]; then\n"
                    "    for word in \"${{COMP_WORDS[@]:2:COMP_CWORD-2}}\"; do\n"
                    "      case \" $firsts \" in *\" $word \"*) firsts='' ;; esac\n"
                    "    done\n"
                    "    case $previous in -*) ;; *) words=$firsts ;; esac\n"
                    "  fi\n"
                    "  case $current in -*) if [ \"$COMP_CWORD\" != 1 ] || [ -z \"$words\" ]; "
                    "then words=$options; fi ;; esac\n"
                    "  COMPREPLY=()\n"
                    "  if [ -n \"$words\" ]; "
                    "then mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\"); fi\n"
                    "}}\n"
                    "complete -o bashdefault -o default -F {} {}\n",
                    function, program);
}

std::string zsh_completion(const std::string& program) {
  const std::vector<ProgramCommand> commands = commands_of(program);
  const std::vector<std::string> names = words_of_program(commands);
  std::string text =
      fmt::format("#compdef {}\n# zsh completion; made from the program's options.\n", program);
  if (names.empty()) return text + zsh_arguments(commands.front(), "");
  text += fmt::format("if (( CURRENT == 2 )); then\n  compadd -- {}\nfi\ncase $words[2] in\n",
                      fmt::join(names, " "));
  std::string otherwise;
  for (const ProgramCommand& command : commands) {
    if (command.name.empty()) {
      otherwise = "  *)\n" + zsh_arguments(command, "    ") + "    ;;\n";
      continue;
    }
    text += fmt::format("  {})\n    shift words\n    (( CURRENT-- ))\n{}    ;;\n", command.name,
                        zsh_arguments(command, "    "));
  }
  return text + otherwise + "esac\n";
}

std::string fish_completion(const std::string& program) {
  const std::vector<ProgramCommand> commands = commands_of(program);
  const std::vector<std::string> names = command_names(commands);
  std::string text = fmt::format("# fish completion of {}; made from its options.\n", program);
  if (!names.empty()) {
    text += fmt::format("complete -c {} -n '__fish_is_first_arg' -a '{}'\n", program,
                        fmt::join(words_of_program(commands), " "));
  }
  for (const ProgramCommand& command : commands) {
    std::string condition;
    if (!command.name.empty()) condition = fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
    if (command.name.empty() && !names.empty())
      condition = fmt::format(" -n 'not __fish_seen_subcommand_from {}'", fmt::join(names, " "));
    const std::string firsts = fmt::format("{}", fmt::join(first_words(command), " "));
    if (!firsts.empty() && !command.name.empty())
      text += fmt::format(
          "complete -c {0} -n '__fish_seen_subcommand_from {1}; "
          "and not __fish_seen_subcommand_from {2}' -xa '{2}'\n",
          program, command.name, firsts);
    for (const Option& option : default_options(command.program))
      text += fish_option(program, condition, option);
  }
  return text;
}

}  // namespace xf::tools
