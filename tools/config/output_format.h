// What the ending of an output file's name says of its format.
#pragma once

#include <string>

#include "tools/config/option_list.h"

namespace xf::tools {

// "svg" of page.SVG, "html" of page.htm; "" of an ending that promises no format: none, .txt, .log, a language's.
std::string format_of_ending(const std::string& path);

// Error usage if the ending promises another format than the one that is written.
void check_ending(const std::string& path, const std::string& format);

// Sets --format to what --output's ending promises, unless it was given. Error usage if the command does not have that format,
// and if what was given is another one.
void take_format_of_output(OptionList list);

}  // namespace xf::tools
