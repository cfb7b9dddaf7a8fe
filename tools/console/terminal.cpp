#include "tools/console/terminal.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace xf::tools {
namespace {

// Set and not empty, as no-color.org asks.
bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value != '\0';
}

// $COLUMNS.
std::optional<int> columns_asked() {
  const char* columns = std::getenv("COLUMNS");
  if (!columns) return std::nullopt;
  const char* const end = columns + std::strlen(columns);
  int number = 0;
  const auto read = std::from_chars(columns, end, number);
  if (read.ec != std::errc{} || read.ptr != end || number <= 0 || number >= 10000) return std::nullopt;
  return number;
}

std::optional<int> columns_of_terminal(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace

int terminal_columns() {
  if (const auto columns = columns_asked()) return *columns;
  for (const int descriptor : {STDERR_FILENO, STDOUT_FILENO}) {
    if (const auto columns = columns_of_terminal(descriptor)) return *columns;
  }
  return 80;
}

int columns_now(std::FILE* stream, int otherwise) {
  const auto columns = columns_of_terminal(fileno(stream));
  if (!columns) return otherwise;
  return std::min(*columns, columns_asked().value_or(*columns));
}

bool somebody_waits(const std::string& input) {
  struct stat status {};
  return input == "-" && !(fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode));
}

bool is_typed(const std::string& input) { return input == "-" && isatty(STDIN_FILENO) != 0; }

Terminal detect_terminal(std::FILE* stream) {
  const char* kind = std::getenv("TERM");
  const bool dumb = !kind || std::string_view(kind) == "dumb" || *kind == '\0';
  const bool forced = is_set("CLICOLOR_FORCE") && std::string_view(std::getenv("CLICOLOR_FORCE")) != "0";
  Terminal terminal;
  terminal.redraws = isatty(fileno(stream)) == 1 && !dumb;
  terminal.colors = !is_set("NO_COLOR") && (terminal.redraws || forced);
  terminal.columns = terminal_columns();
  return terminal;
}

}  // namespace xf::tools
