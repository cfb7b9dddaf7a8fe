// An option as somebody wrote it: what the command line and the config files come down to before their values
// are checked.
#pragma once

#include <string>
#include <vector>

namespace xf::tools {

struct GivenOption {
  std::string name;
  std::vector<std::string> words;
  std::string where;  // for messages: "--dim-emb", "config.toml:14: key 'dim-emb'"
};

}  // namespace xf::tools
