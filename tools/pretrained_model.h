// Training that begins with another model's weights (--pretrained-model).
#pragma once

#include <string>
#include <vector>

#include "nn/checkpoint.h"

namespace xf::tools {

// Writes the tensors of `from` over the initial values of the registry's parameters of the same names: whole where the
// shapes agree; of a matrix with other rows the rows that both have. -> what was done, for the log: a line that counts, and one for
// each tensor that is not as it was there: reshaped, new, or left out. Error usage, naming `where`, if no matrix was taken whole.
std::vector<std::string> begin_with(const nn::TensorMap& from, const nn::Registry& registry,
                                    const std::string& where);

}  // namespace xf::tools
