#include "tools/config/command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "tools/config/foreign_names.h"
#include "tools/config/former_names.h"
#include "tools/console/nearest_name.h"
#include "tools/console/terminal.h"

namespace xf::tools {
namespace {

bool is_multi_letter_flag(std::string_view alias) { return alias.size() > 2 && alias[1] != '-'; }

// sacreBLEU's -lc, -tok ... would be read as -l -c: they become long options first.
std::vector<std::string> rewrite_multi_letter_flags(const OptionList& list,
                                                    std::vector<std::string> arguments) {
  for (const Option& spec : list) {
    for (const std::string& alias : split(spec.aliases, ' ')) {
      if (is_multi_letter_flag(alias)) std::ranges::replace(arguments, alias, fmt::format("--{}", spec.name));
    }
  }
  return arguments;
}

CLI::Option* add_option(CLI::App& app, const Option& spec) {
  std::string names = fmt::format("--{}", spec.name);
  for (const std::string& alias : split(spec.aliases, ' ')) {
    if (!is_multi_letter_flag(alias)) names += "," + alias;
  }
  if (spec.is_switch()) {
    return app.add_flag(names)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  if (spec.positional) names += fmt::format(",{}", spec.name);
  CLI::Option* option = app.add_option(names);
  if (spec.is_list()) return option->expected(1, spec.max_values)->allow_extra_args(spec.positional);
  return option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

// Every spelling that follows a dash, for the nearest name.
std::vector<std::string> spellings(const OptionList& list) {
  std::vector<std::string> names = list.names();
  for (const Option& spec : list) {
    for (const std::string& alias : split(spec.aliases, ' ')) {
      if (alias.starts_with("--")) names.push_back(alias.substr(2));
    }
    for (const std::string& former : split(spec.former_names, ' ')) names.push_back(former);
  }
  return names;
}

// Of a spelling as "--seed", "-m" or "--seed=1"; nullptr where none is spelt so.
const Option* option_spelt(const OptionList& list, const std::string& word) {
  const std::string spelling = word.substr(0, word.find('='));
  for (const Option& spec : list) {
    const std::vector<std::string> known = spellings_of(spec);
    if (std::ranges::find(known, spelling) != known.end()) return &spec;
  }
  return nullptr;
}

// Whether a second one is a slip; a number or a choice that is given again goes before the first.
bool names_place(const Option& spec) {
  constexpr std::array<std::string_view, 5> kPlaces = {"FILE", "DIR", "PATH", "RUN", "MODEL"};
  return !spec.is_list() && std::ranges::find(kPlaces, spec.value_name) != kPlaces.end();
}

// "; switches take =false: ..." for --no-SWITCH; else "".
std::string negation_hint(const OptionList& list, std::string_view name) {
  if (!name.starts_with("no-")) return "";
  const Option* spec = list.find(name.substr(3));
  if (!spec || !spec->is_switch()) return "";
  return fmt::format("; switches take =false: --{}=false", spec->name);
}

void refuse_leftovers(const OptionList& list, const CLI::App& app,
                      const std::vector<std::string>& arguments) {
  auto leftovers = app.remaining();
  std::erase(leftovers, "--");  // CLI11 keeps the end of the options among them
  if (leftovers.empty()) return;
  const auto option =
      std::ranges::find_if(leftovers, [](const std::string& word) { return word.starts_with('-'); });
  if (option == leftovers.end()) refuse_argument(list, arguments, leftovers.front());
  const std::string name = option->substr(0, option->find('='));
  const std::string bare_name = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  if (const RemovedOption* const removed = find_removed(list.program(), bare_name))
    fail(ErrorKind::usage, "{}: {}; leave it out", name, removed->why);
  std::string hint = why_refused(list.program(), bare_name);
  if (hint.empty()) hint = negation_hint(list, bare_name);
  if (hint.empty()) hint = suggestion(bare_name, spellings(list), "--");
  fail(ErrorKind::usage, "unknown option '{}'{}", name,
       hint.empty() ? fmt::format("; see {} --help", list.program()) : hint);
}

// CLI11 takes such a word for a list, where bare words are one.
void refuse_brackets(const OptionList& list, const std::vector<std::string>& arguments) {
  const bool takes_lists =
      std::ranges::any_of(list, [](const Option& spec) { return spec.positional && spec.is_list(); });
  for (const std::string& word : arguments) {
    if (takes_lists && word.starts_with('[') && word.ends_with(']'))
      fail(ErrorKind::usage, "'{}': a name in brackets; write './{}'", word, word);
  }
}

// ---- help

constexpr int kHelpColumn = 34;

// "-b, --beam-size N"
std::string left_column(const Option& spec) {
  std::string shorts, longs = fmt::format("--{}", spec.name);
  for (const std::string& alias : split(spec.aliases, ' ')) {
    (alias.starts_with("--") ? longs : shorts) += alias.starts_with("--") ? ", " + alias : alias + ", ";
  }
  const std::string value = value_text(spec);
  return fmt::format("  {}{}{}{}", shorts, longs, value.empty() ? "" : " ", value);
}

// Words in lines of at most `width` characters.
std::vector<std::string> wrap(const std::string& text, size_t width) {
  std::vector<std::string> lines{""};
  for (const std::string& word : split(text, ' ')) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string row_text(const Option& spec, int columns) {
  const std::string help = help_with_default(spec);
  std::string text = left_column(spec);
  bool on_same_line = text.size() + 2 <= kHelpColumn;
  for (const std::string& line : wrap(help, static_cast<size_t>(columns - kHelpColumn))) {
    if (on_same_line) {
      text += fmt::format("{:{}}{}\n", "", kHelpColumn - text.size(), line);
    } else {
      text += fmt::format("{}{:{}}{}\n", text.ends_with('\n') ? "" : "\n", "", kHelpColumn, line);
    }
    on_same_line = false;
  }
  return text;
}

}  // namespace

void refuse_argument(const OptionList& list, const std::vector<std::string>& arguments,
                     const std::string& word) {
  // The option that it stands behind.
  const Option* before = nullptr;
  for (const std::string& argument : arguments) {
    if (argument == word) break;
    if (const Option* spec = option_spelt(list, argument)) before = spec;
  }
  std::string hint = fmt::format("see {} --help", list.program());
  if (before && before->is_switch() && (word == "true" || word == "false"))
    hint = fmt::format("switches take =false: --{}={}", before->name, word);
  else if (before && before->is_list())
    hint = fmt::format("--{} takes {} alone", before->name, value_text(*before));
  else if (list.program() == "xformer-translate")
    hint = "text comes from -i FILE or the standard input";
  fail(ErrorKind::usage, "unexpected argument '{}'; {}", word, hint);
}

GivenOptions parse_command_line(const OptionList& list, const std::vector<std::string>& arguments) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::pair<const Option*, CLI::Option*>> options;
  for (const Option& spec : list) options.emplace_back(&spec, add_option(app, spec));
  refuse_brackets(list, arguments);
  std::vector<std::pair<const Option*, std::string>> given_as;
  auto words = rewrite_multi_letter_flags(list, with_names_of_today(list, arguments, given_as));
  std::ranges::reverse(words);  // CLI11 takes them from the back
  try {
    app.parse(std::move(words));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what(), name = what.substr(0, what.find(':'));
    const auto renamed = std::ranges::find_if(
        given_as, [&](const auto& given) { return name == fmt::format("--{}", given.first->name); });
    fail(ErrorKind::usage, "{}{} lacks a value, or has one too many; see {} --help", name,
         renamed == given_as.end() ? "" : fmt::format(" (given as {})", renamed->second), list.program());
  } catch (const CLI::ParseError& error) {
    fail(ErrorKind::usage, "{}; see {} --help", error.what(), list.program());
  }
  refuse_leftovers(list, app, arguments);
  GivenOptions given;
  for (const auto& [spec, option] : options) {
    if (option->count() == 0) continue;
    if (option->count() > 1 && names_place(*spec)) fail(ErrorKind::usage, "--{}: given twice", spec->name);
    given.push_back({std::string(spec->name), option->reduced_results(), fmt::format("--{}", spec->name)});
    for (const auto& [renamed, spelling] : given_as) {
      if (renamed == spec)
        given.back().renamed.push_back(fmt::format("{} is now called --{}", spelling, spec->name));
    }
    rename_words(*spec, given.back());
  }
  return given;
}

std::string help_text(const OptionList& defaults, bool all) {
  const std::string_view program = defaults.program();
  const int columns = std::clamp(terminal_columns(), 60, 120);
  std::string text = fmt::format("{}\n{}", program, defaults.summary());
  std::string_view group;
  int left_out = 0;
  for (const Option& spec : defaults) {
    if (spec.rare && !all) {
      ++left_out;
      continue;
    }
    if (spec.group != group) text += fmt::format("\n{}\n", spec.group);
    group = spec.group;
    text += row_text(spec, columns);
  }
  std::string note = "Defaults are in brackets";
  if (program == "xformer-train") note += " (where the task decides: those of transformer-tiny)";
  note += ". Counts take K, M, G; switches take =false.";
  if (left_out > 0) note += fmt::format(" --help-all shows {} more options.", left_out);
  return fmt::format("{}\n{}\n", text, fmt::join(wrap(note, static_cast<size_t>(columns)), "\n"));
}

}  // namespace xf::tools
