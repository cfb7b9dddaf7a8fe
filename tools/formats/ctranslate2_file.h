// model.bin of CTranslate2, little-endian, packed:
//   u32 6 | string "TransformerSpec" | u32 revision
//   u32 count, then for each variable: string name | u8 rank | rank x u32 extent | u8 type | u32
//   bytes | values, row-major u32 count, then for each alias: string alias | string name of the
//   variable
// A string is its length with the zero byte behind it as u16, its bytes, and the zero. A variable
// has less than 4 GiB. Source: CTranslate2's reader, src/models/model.cc of
// https://github.com/OpenNMT/CTranslate2 (format 6).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/formats/stored_array.h"

namespace xf::tools::exchange {

// Of the specification, which the newest converters write; revisions before it are read.
inline constexpr uint32_t kCTranslate2Revision = 7;

struct CTranslate2File {
  std::string specification;
  uint32_t revision = 0;
  std::vector<std::pair<std::string, StoredArray>> variables;     // in the order of the file
  std::vector<std::pair<std::string, std::string>> aliases = {};  // alias and variable
};

// Error usage for a variable that is too large for the format, else as atomic_write_pieces() has
// them.
void write_ctranslate2_file(const std::string& path, const CTranslate2File& file);

// The arrays point into `bytes`. Error data, naming `path` and what is wrong: another version, an
// unknown type, a name that stands twice, an alias of nothing, bytes missing or left over.
CTranslate2File parse_ctranslate2_file(std::string_view bytes, const std::string& path);

}  // namespace xf::tools::exchange
