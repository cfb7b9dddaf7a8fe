// What the ending of an output file's name says of its format.
#pragma once

#include <string>

#include "tools/config/options.h"

namespace xf::tools {

// "svg" of page.SVG, "html" of page.htm; "" of an ending that promises no format: none, .txt, .log, a language's.
std::string format_of_ending(const std::string& path);

// Error usage if the ending promises another format than the one that is written.
void check_ending(const std::string& path, const std::string& format);

// The options with the format that --output's ending promises, unless --format was given. Error usage if the command does not
// have it, and if what was given is another one.
Options with_format_of_output(const Options& options);

}  // namespace xf::tools
