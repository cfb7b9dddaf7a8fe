#include "tools/formats/safetensors_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "core/error.h"
#include "core/stored_file.h"
#include "nn/checkpoint/safetensors.h"

namespace xf::tools::exchange {

namespace {

using Name = std::pair<std::string_view, ArrayType>;
constexpr std::array kTypes = {Name{"F64", ArrayType::f64}, Name{"F32", ArrayType::f32},
                               Name{"F16", ArrayType::f16}, Name{"BF16", ArrayType::bf16},
                               Name{"I64", ArrayType::i64}, Name{"I32", ArrayType::i32},
                               Name{"I16", ArrayType::i16}, Name{"I8", ArrayType::i8}};

}  // namespace

StoredArrays safetensors_arrays(const std::string& path) {
  const auto file = std::make_shared<const StoredFile>(path);
  const nn::SafetensorsHeader header = nn::read_safetensors_header(*file);
  StoredArrays result{.arrays = {}, .owners = {}, .bytes = static_cast<uint64_t>(file->size())};
  for (const nn::StoredTensor& tensor : header.tensors) {
    const auto type = std::ranges::find(kTypes, tensor.dtype, &Name::first);
    if (type == kTypes.end())
      fail(ErrorKind::data, "{}: {} is {}; {} are read", path, tensor.name, tensor.dtype,
           fmt::join(kTypes | std::views::keys, ", "));
    result.arrays[tensor.name] = {.type = type->second,
                                  .shape = tensor.shape,
                                  .bytes = {},
                                  .begin = header.data_begin + tensor.begin,
                                  .file = file};
  }
  return result;
}

}  // namespace xf::tools::exchange
