// --help, from the list of options.
#include <fmt/format.h>

#include <algorithm>

#include "tools/config/command_line.h"
#include "tools/console/terminal.h"

namespace xf::tools {
namespace {

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

std::string help_text(const OptionList& defaults, bool all) {
  const Program program = defaults.program();
  const int columns = std::clamp(terminal_columns(), 60, 120);
  std::string text = fmt::format("{}\n{}", program_name(program), program_summary(program));
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
  std::string note = "In brackets: the default";
  if (program == Program::train) note += " (of --task transformer-tiny where the task decides)";
  note += ". Counts take K, M, G; switches take =false.";
  if (left_out > 0) note += fmt::format(" --help-all shows {} more options.", left_out);
  return fmt::format("{}\n{}\n", text, fmt::join(wrap(note, static_cast<size_t>(columns)), "\n"));
}

}  // namespace xf::tools
