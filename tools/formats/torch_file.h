// A dictionary of tensors as torch.save() writes it, in either form: an archive of data.pkl and a
// file for each storage (since PyTorch 1.6), or pickles one after the other and the storages behind
// them (before). Source: PyTorch's torch/serialization.py.
#pragma once

#include "tools/formats/stored_array.h"

namespace xf::tools::exchange {

// Error data, naming the file, for one that holds anything else, or tensors whose elements do not
// lie row by row.
StoredArrays torch_arrays(const std::string& path);

// The same for bytes that the caller keeps.
StoredArrays parse_torch_file(std::string_view bytes, const std::string& path);

}  // namespace xf::tools::exchange
