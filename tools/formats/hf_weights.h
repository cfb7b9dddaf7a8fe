// The weights in a folder of transformers: model.safetensors, or pytorch_model.bin, or several of
// either with an index.
#pragma once

#include <string>
#include <vector>

#include "tools/formats/stored_array.h"

namespace xf::tools::exchange {

bool has_hf_weights(const std::string& folder);

// Error data if there are none, and as safetensors_arrays() and torch_arrays() have it; of an
// index, for a file that is missing or is in another folder.
StoredWeights read_hf_weights(const std::string& folder);

// The files that an index names, each once, in its order. Error data, naming `path`, for what is no
// index.
std::vector<std::string> files_of_index(std::string_view json, const std::string& path);

}  // namespace xf::tools::exchange
