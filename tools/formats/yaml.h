// What Marian writes as YAML: options of a model, and vocabularies.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace xf::tools::exchange {

// Options by name, each a list of words: of one value one word. Nested ones are left out. Error
// data, naming `path`, for what is no YAML, or no mapping, and for aliases that repeat more than
// such files have.
std::map<std::string, std::vector<std::string>> parse_yaml_options(std::string_view text,
                                                                   const std::string& path);

// Pieces by id from a mapping of ids by piece, which must be 0 to n - 1. Error data as above, and
// for ids that are missing or stand twice.
std::vector<std::string> parse_yaml_pieces(std::string_view text, const std::string& path);

}  // namespace xf::tools::exchange
