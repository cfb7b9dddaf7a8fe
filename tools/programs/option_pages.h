// What an installed program brings along for man and for shells, written from the option table, so
// that it cannot differ from what the program accepts. Programs are named as they are called:
// "xformer-train"; the commands of one, such as xformer-vocab encode, share its pages.
#pragma once

#include <string>
#include <vector>

#include "tools/config/command_line.h"

namespace xf::tools {

std::vector<std::string> installed_programs();

std::string man_page(const std::string& program);         // roff, section 1
std::string bash_completion(const std::string& program);  // to be sourced
std::string zsh_completion(const std::string& program);   // a file of $fpath: _xformer-train
std::string fish_completion(const std::string& program);  // xformer-train.fish

// The words that the first bare argument of a command can be, "ctranslate2" of `xformer-export to`;
// none: it has none, or anything.
std::vector<std::string> first_words(const ProgramCommand& command);

}  // namespace xf::tools
