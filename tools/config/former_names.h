// Names of earlier versions: an option that was called otherwise (Option::formerly()), and words
// that were (Option::formerly_values()). They are still read, and what is read has today's names.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/config/option.h"

namespace xf::tools {

// The option that is, or was, called so; null where there is none.
const Option* find_of_any_version(const OptionList& list, std::string_view name);

// The word of an option as it is called now: itself where it was never renamed.
std::string word_of_today(const Option& option, const std::string& word);

// A command line with today's option names. Adds to `given_as` what each renamed option was written
// as: "--old-name".
std::vector<std::string> with_names_of_today(const OptionList& list, std::vector<std::string> arguments,
                                             std::vector<std::pair<const Option*, std::string>>& given_as);

// Replaces the words of `given` by today's, and notes each in `given.renamed`.
void rename_words(const Option& option, GivenOption& given);

}  // namespace xf::tools
