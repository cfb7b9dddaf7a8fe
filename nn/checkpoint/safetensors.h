// Tensors in a file that every toolkit reads: the safetensors format, little-endian.
//   u64 N | N bytes of JSON: name -> {"dtype", "shape", "data_offsets": [begin, end]} | data,
//   row-major, packed
// Source: the format description of https://github.com/huggingface/safetensors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/checksum.h"
#include "core/stored_file.h"
#include "core/tensor.h"

namespace xf::nn {

using TensorMap = std::map<std::string, Tensor>;
using Metadata = std::map<std::string, std::string>;

// What a header says of a tensor, which may be of a type and a rank that the engine lacks.
struct StoredTensor {
  std::string name, dtype;  // "F32", as the format has it
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;  // bytes, from where the data begins
};
struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  // in the order of their data
  Metadata metadata;
  uint64_t data_begin = 0;  // in the file
};

struct SafetensorsFile {
  TensorMap tensors;
  Metadata metadata;
};

// Writes the file whole or not at all (core/file.h) and returns the checksum of its bytes. The same
// tensors and metadata give the same bytes, those of the official writer: tensors by type, widest
// first, then by name; the header padded to 8. "format": "pt" is always among the metadata, because
// other readers ask for it. Tensors are contiguous and on the CPU. Error resources if the file
// cannot be written, failure on a bad name or a tensor elsewhere.
Crc64 write_safetensors(const std::string& path, const TensorMap& tensors, const Metadata& metadata);

// f32, f64, bf16, i32 and i8, of rank 0 (read as [1]) to 4; a zero extent is legal. Error data,
// naming the path and the rule that is broken, for anything else: a header that does not fit,
// duplicate keys, gaps, overlaps, sizes that disagree. White space around the header's JSON is
// legal, and so is more in a tensor's entry than is read. Tensors are read straight into their
// memory.
SafetensorsFile read_safetensors(const StoredFile& file);
SafetensorsFile read_safetensors(const std::string& path);

// The same for bytes already read; `path` is for the message.
SafetensorsFile parse_safetensors(std::string_view bytes, const std::string& path);

// The header alone, by the same rules, of every type of the format and of any rank. Extents are
// below 2^63.
SafetensorsHeader read_safetensors_header(const StoredFile& file);
SafetensorsHeader parse_safetensors_header(std::string_view bytes, const std::string& path);

// What the format calls a type of ours.
std::string_view stored_type(DType dtype);

}  // namespace xf::nn
