// man pages (roff, man(7)) from the option table.
#include <fmt/format.h>

#include "data/unicode.h"
#include "tools/config/command_line.h"
#include "tools/programs/option_pages.h"

namespace xf::tools {

namespace {

// Text as roff wants it: its escape, hyphens that are minus signs, lists of words that may be
// broken, and no dot or apostrophe that begins a line.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\')
      escaped += "\\\\";
    else if (c == '-')
      escaped += "\\-";
    else if (c == '|')
      escaped += "|\\:";  // a line may end behind it
    else
      escaped += c;
  }
  if (!escaped.empty() && (escaped.front() == '.' || escaped.front() == '\'')) escaped.insert(0, "\\&");
  return escaped;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

std::string option_entry(const Option& option) {
  std::string names;
  for (const std::string& spelling : spellings_of(option))
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(spelling));
  const std::string value = value_text(option);
  if (!value.empty()) names += fmt::format(" \\fI{}\\fR", roff(value));
  return fmt::format(".TP\n{}\n{}\n", names, roff(help_with_default(option)));
}

std::string summary_text(std::string_view program) {
  std::string text;
  bool example = false;
  std::string line;
  for (const char c : std::string(default_options(program).summary()) + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    const bool indented = line.starts_with("  ");
    if (indented != example) text += indented ? ".PP\n.nf\n" : ".fi\n";
    example = indented;
    if (!line.empty()) text += roff(indented ? line.substr(2) : line) + "\n";
    line.clear();
  }
  return text + (example ? ".fi\n" : "");
}

// What `man -k` shows: the program's first sentence, or of one that has commands alone, their
// names.
std::string headline(const std::vector<ProgramCommand>& commands) {
  const std::string summary(default_options(commands.front().program).summary());
  if (commands.front().name.empty()) return summary.substr(0, summary.find('.'));
  std::vector<std::string> names;
  for (const ProgramCommand& command : commands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string options_text(const ProgramCommand& command) {
  std::string text;
  std::string_view group;
  for (const Option& option : default_options(command.program)) {
    if (option.group != group) text += fmt::format(".SS {}\n", roff(std::string(option.group)));
    group = option.group;
    text += option_entry(option);
  }
  return text;
}

constexpr const char* kEnd = R"(.SH EXIT STATUS
.TP
0
success
.TP
1
failure, or a check found a problem
.TP
2
wrong usage or configuration
.TP
3
wrong or damaged data
.TP
4
training diverged
.TP
5
out of memory or disk space
.TP
129, 130, 143, 152
stopped by SIGHUP, SIGINT, SIGTERM, SIGXCPU
.SH ENVIRONMENT
.TP
NO_COLOR, CLICOLOR_FORCE, TERM, COLUMNS
colours and width of the output
.TP
XFORMER_CPU_LEVEL
avx2 or avx512: use the kernels of that processor level
.TP
OMP_NUM_THREADS
number of threads, unless \-\-cpu\-threads is given
)";

}  // namespace

std::string man_page(const std::string& program) {
  const std::vector<ProgramCommand> commands = commands_of(program);
  std::string text =
      fmt::format(".TH {} 1 \"\" \"xformer {}\" \"xformer\"\n.ad l\n.SH NAME\n{} \\- {}\n",
                  upper_case(roff(program)), XFORMER_VERSION, roff(program), roff(headline(commands)));
  for (const ProgramCommand& command : commands) {
    text += fmt::format(".SH {}\n{}", upper_case(roff(std::string(command.program))),
                        summary_text(command.program));
    text += options_text(command);
  }
  text += kEnd;
  text += ".SH SEE ALSO\n";
  std::string others;
  for (const std::string& other : installed_programs()) {
    if (other != program) others += fmt::format("{}\\fB{}\\fR(1)", others.empty() ? "" : ", ", roff(other));
  }
  return text + others + "\n";
}

}  // namespace xf::tools
