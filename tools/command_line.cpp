#include "tools/command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "core/error.h"
#include "tools/foreign_names.h"
#include "tools/option_value.h"

namespace xf::tools {
namespace {

bool is_multi_letter_flag(std::string_view alias) { return alias.size() > 2 && alias[1] != '-'; }

// sacreBLEU's -lc, -tok ... would be read as -l -c: they become long options first.
std::vector<std::string> rewrite_multi_letter_flags(Program program, std::vector<std::string> arguments) {
  for (const OptionSpec& spec : option_table()) {
    if (!spec.accepted_by(program)) continue;
    for (const std::string& alias : split(spec.aliases, ' ')) {
      if (is_multi_letter_flag(alias)) std::ranges::replace(arguments, alias, fmt::format("--{}", spec.name));
    }
  }
  return arguments;
}

CLI::Option* add_option(CLI::App& app, const OptionSpec& spec) {
  std::string names = fmt::format("--{}", spec.name);
  for (const std::string& alias : split(spec.aliases, ' ')) {
    if (!is_multi_letter_flag(alias)) names += "," + alias;
  }
  if (spec.type == OptionType::boolean) {
    return app.add_flag(names)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  if (spec.positional) names += fmt::format(",{}", spec.name);
  CLI::Option* option = app.add_option(names);
  if (spec.is_list()) return option->expected(1, spec.max_values)->allow_extra_args(spec.positional);
  return option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

// Every spelling that follows a dash, for the nearest name.
std::vector<std::string> spellings(Program program) {
  std::vector<std::string> names = option_names(program, false);
  for (const OptionSpec& spec : option_table()) {
    if (!spec.accepted_by(program)) continue;
    for (const std::string& alias : split(spec.aliases, ' ')) {
      if (alias.starts_with("--")) names.push_back(alias.substr(2));
    }
  }
  return names;
}

void refuse_leftovers(Program program, const CLI::App& app) {
  auto leftovers = app.remaining();
  std::erase(leftovers, "--");  // CLI11 keeps the end of the options among them
  if (leftovers.empty()) return;
  const auto option =
      std::ranges::find_if(leftovers, [](const std::string& word) { return word.starts_with('-'); });
  if (option == leftovers.end()) {
    fail(ErrorKind::usage, "unexpected argument '{}'; see {} --help", leftovers.front(),
         program_name(program));
  }
  const std::string name = option->substr(0, option->find('='));
  const std::string bare_name = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  const std::string hint = suggestion(bare_name, spellings(program), "--");
  fail(ErrorKind::usage, "unknown option '{}'{}", name,
       hint.empty() ? fmt::format("; see {} --help", program_name(program)) : hint);
}

}  // namespace

std::vector<GivenOption> parse_command_line(Program program, const std::vector<std::string>& arguments) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::pair<const OptionSpec*, CLI::Option*>> options;
  for (const OptionSpec& spec : option_table()) {
    if (spec.accepted_by(program)) options.emplace_back(&spec, add_option(app, spec));
  }
  auto words = rewrite_multi_letter_flags(program, arguments);
  std::ranges::reverse(words);  // CLI11 takes them from the back
  try {
    app.parse(std::move(words));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    fail(ErrorKind::usage, "{} lacks a value, or has one too many; see {} --help",
         what.substr(0, what.find(':')), program_name(program));
  } catch (const CLI::ParseError& error) {
    fail(ErrorKind::usage, "{}; see {} --help", error.what(), program_name(program));
  }
  refuse_leftovers(program, app);
  std::vector<GivenOption> given;
  for (const auto& [spec, option] : options) {
    if (option->count() == 0) continue;
    given.push_back({std::string(spec->name), option->reduced_results(), fmt::format("--{}", spec->name)});
  }
  return given;
}

}  // namespace xf::tools
