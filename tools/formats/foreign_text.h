// Texts that lie in the folder of a model: settings, lists of pieces, options of a search.
#pragma once

#include <string>

namespace xf::tools::exchange {

// Whether there is something to read, or a link that leads nowhere, which reading names.
bool is_there(const std::string& path);

// Error data for one that is missing or no regular file, which a pipe is not, and for one that is longer than such texts are.
std::string read_model_text(const std::string& path);

}  // namespace xf::tools::exchange
