// The words given for an option, checked against its row and brought to one spelling.
#pragma once

#include <string>
#include <vector>

#include "tools/config/option_table.h"

namespace xf::tools {

// Canonical words: counts without K M G, numbers in their shortest form, amounts with their unit, comma lists
// of amounts and of whole numbers apart. Error usage "WHERE: ..." for a wrong type, a value out of range, an unknown choice (with
// the nearest) or a wrong number of values.
std::vector<std::string> check_values(const OptionSpec& spec, const std::vector<std::string>& words,
                                      const std::string& where);

// One canonical value as TOML writes it: 128, 0.3, true, "post".
std::string toml_value(const OptionSpec& spec, const std::string& word);

// "a|b|c" to words, or any other separator; empty ones are left out.
std::vector<std::string> split(std::string_view text, char separator);
// The same with the empty ones: one more than there are separators.
std::vector<std::string> split_all(std::string_view text, char separator);

}  // namespace xf::tools
