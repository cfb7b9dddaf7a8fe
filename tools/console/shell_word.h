// Words that a shell is to read, in commands that are printed and in completions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xf::tools {

// In single quotes. `quote`: how a single quote is written there; by default quotes are closed, one
// is written and they are opened again, as every POSIX shell reads it.
std::string single_quoted(std::string_view text, std::string_view quote = "'\\''");

// One word: in quotes where it must be.
std::string shell_word(const std::string& text);
// Several, apart by spaces.
std::string shell_words(const std::vector<std::string>& texts);

}  // namespace xf::tools
