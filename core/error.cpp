#include "core/error.h"

namespace xf {

namespace {

std::string without_zeros(std::string text) {
  for (size_t at = text.find('\0'); at != std::string::npos; at = text.find('\0', at))
    text.replace(at, 1, "\\x00");
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& what)
    : std::runtime_error(without_zeros(what)), kind_(kind) {}

void throw_formatted(ErrorKind kind, fmt::string_view format, fmt::format_args arguments) {
  throw Error(kind, fmt::vformat(format, arguments));
}

}  // namespace xf
