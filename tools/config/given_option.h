// An option as somebody wrote it: what the command line and the config files come down to before their values
// are checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xf::tools {

struct GivenOption {
  std::string name;
  std::vector<std::string> words;
  std::string where;  // for messages: "--dim-emb", "config.toml:14: key 'dim-emb'"
};

using GivenOptions = std::vector<GivenOption>;

// Null where it is not given.
const GivenOption* find_given(const GivenOptions& given, std::string_view name);
// The command line goes before the file.
const GivenOption* find_given(const GivenOptions& from_file, const GivenOptions& from_command_line,
                              std::string_view name);

}  // namespace xf::tools
