#include "tools/console/message.h"

#include <cstdio>

#include "data/display_text.h"

namespace xf::tools {

std::string message_line(std::string_view text) { return data::printable(text); }

void tell_line(std::string_view line) {
  const std::string text = message_line(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_page(std::string_view page) { fmt::print("{}", data::printable_page(page)); }

}  // namespace xf::tools
