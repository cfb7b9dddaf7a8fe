// A safetensors file's arrays, of any type of the format that has numbers, read when they are asked
// for.
#pragma once

#include "tools/formats/stored_array.h"

namespace xf::tools::exchange {

// Error data, naming the file, as nn/checkpoint/safetensors.h has them, and for another type.
StoredArrays safetensors_arrays(const std::string& path);

}  // namespace xf::tools::exchange
