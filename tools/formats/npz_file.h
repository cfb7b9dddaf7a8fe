// A file of numpy.savez(): an archive of a .npy file for each array.
// Source: NumPy's numpy/lib/format.py, versions 1 to 3 of the format.
#pragma once

#include "tools/formats/stored_array.h"

namespace xf::tools::exchange {

// Error data, naming the file, for one that holds anything else: other bytes, numbers of other
// types or of big-endian order, matrices that lie column by column.
StoredArrays npz_arrays(const std::string& path);

// The same for bytes that the caller keeps.
StoredArrays parse_npz_file(std::string_view bytes, const std::string& path);

}  // namespace xf::tools::exchange
