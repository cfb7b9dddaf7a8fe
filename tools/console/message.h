// Lines for people on the standard error and pages on the standard output. Names and texts in them
// are shown as data::printable() writes them, so that no terminal obeys what a stranger's file is
// called.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace xf::tools {

// What a terminal may be shown of a message: one line.
std::string message_line(std::string_view text);

// A line, without its newline, to the standard error. One that cannot be written is lost.
void tell_line(std::string_view line);

template <typename... T>
void tell(fmt::format_string<T...> format, T&&... arguments) {
  tell_line(fmt::format(format, std::forward<T>(arguments)...));
}

// A page of lines to the standard output. Throws std::system_error if it cannot be written.
void print_page(std::string_view page);

}  // namespace xf::tools
