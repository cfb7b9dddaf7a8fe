#include "nn/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/json_depth.h"
#include "core/mapped_file.h"

namespace xf::nn {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "tensors are copied to the file as they lie in memory");

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr uint64_t kHeaderAlignment = 8;
constexpr const char* kMetadataKey = "__metadata__";

// In the order in which the official writer sorts tensors by type.
constexpr std::array<std::pair<const char*, DType>, 5> kTypes = {{{"F64", DType::f64},
                                                                  {"F32", DType::f32},
                                                                  {"I32", DType::i32},
                                                                  {"BF16", DType::bf16},
                                                                  {"I8", DType::i8}}};

// Bytes of an element of each type of the format.
constexpr std::array<std::pair<std::string_view, uint64_t>, 15> kSizes = {{{"F64", 8},
                                                                           {"I64", 8},
                                                                           {"U64", 8},
                                                                           {"F32", 4},
                                                                           {"I32", 4},
                                                                           {"U32", 4},
                                                                           {"F16", 2},
                                                                           {"BF16", 2},
                                                                           {"I16", 2},
                                                                           {"U16", 2},
                                                                           {"F8_E4M3", 1},
                                                                           {"F8_E5M2", 1},
                                                                           {"I8", 1},
                                                                           {"U8", 1},
                                                                           {"BOOL", 1}}};

template <typename... Args>
[[noreturn]] void refuse(const std::string& path, fmt::format_string<Args...> format, Args&&... args) {
  fail(ErrorKind::data, "{}: not a whole safetensors file: {}; copy or save it again", path,
       fmt::format(format, std::forward<Args>(args)...));
}

// ---- reading

// The library keeps the last of two equal keys; the format forbids them.
Json parse_json(std::string_view text, const std::string& path) {
  if (is_too_deep_json(text)) refuse(path, "the header is nested too deep");
  std::vector<std::set<std::string>> keys;  // of the objects now open, by depth
  const auto callback = [&](int depth, Json::parse_event_t event, Json& value) {
    const auto level = static_cast<size_t>(depth);
    if (event == Json::parse_event_t::object_start) {
      keys.resize(level + 2);
      keys[level + 1].clear();
    } else if (event == Json::parse_event_t::key && !keys[level].insert(value.get<std::string>()).second) {
      refuse(path, "key '{}' stands twice in the header", value.get<std::string>());
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), callback);
  } catch (const Json::exception& error) {
    refuse(path, "the header is not JSON ({})", error.what());
  }
}

std::string_view header_of(std::string_view bytes, const std::string& path) {
  if (bytes.size() < kLengthBytes) refuse(path, "{} bytes cannot hold a header", bytes.size());
  uint64_t length;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeader) refuse(path, "a header of {} bytes is longer than {}", length, kMaxHeader);
  if (length > bytes.size() - kLengthBytes) {
    refuse(path, "a header of {} bytes ends after the file's {}", length, bytes.size());
  }
  const std::string_view header = bytes.substr(kLengthBytes, length);
  if (header.empty() || header.front() != '{') refuse(path, "the header does not begin with '{{'");
  return header;
}

uint64_t element_bytes(const std::string& dtype, const std::string& tensor, const std::string& path) {
  for (const auto& [name, bytes] : kSizes) {
    if (name == dtype) return bytes;
  }
  refuse(path, "tensor '{}' is {}, which is no type of the format", tensor, dtype);
}

std::vector<int64_t> naturals(const Json& value, const char* what, const std::string& tensor,
                              const std::string& path) {
  const auto natural = [](const Json& item) {
    return item.is_number_unsigned() && item.get<uint64_t>() <= INT64_MAX;
  };
  if (!value.is_array() || !std::all_of(value.begin(), value.end(), natural)) {
    refuse(path, "tensor '{}': {} is not a list of natural numbers", tensor, what);
  }
  return value.get<std::vector<int64_t>>();
}

StoredTensor parse_entry(const std::string& name, const Json& value, const std::string& path) {
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets") || !value["dtype"].is_string()) {
    refuse(path, "tensor '{}' has not just dtype, shape and data_offsets", name);
  }
  const std::string dtype = value["dtype"].get<std::string>();
  const auto extents = naturals(value["shape"], "shape", name, path);
  const auto offsets = naturals(value["data_offsets"], "data_offsets", name, path);
  if (offsets.size() != 2) refuse(path, "tensor '{}': data_offsets is not [begin, end]", name);
  const auto begin = static_cast<uint64_t>(offsets[0]), end = static_cast<uint64_t>(offsets[1]);
  uint64_t bytes = element_bytes(dtype, name, path);
  for (const int64_t extent : extents) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes))
      refuse(path, "tensor '{}': its size overflows", name);
  }
  if (begin > end || end - begin != bytes) {
    refuse(path, "tensor '{}' takes {} bytes, its data_offsets are [{}, {}]", name, bytes, begin, end);
  }
  return {name, dtype, extents, begin, end};
}

// The ranges begin at 0, touch, and end with the file.
void check_ranges(std::vector<StoredTensor>& tensors, uint64_t data_bytes, const std::string& path) {
  std::sort(tensors.begin(), tensors.end(), [](const StoredTensor& a, const StoredTensor& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t position = 0;
  for (const StoredTensor& tensor : tensors) {
    if (tensor.begin != position) {
      refuse(path, "tensor '{}' begins at byte {}, the one before it ends at {}", tensor.name, tensor.begin,
             position);
    }
    position = tensor.end;
  }
  if (position != data_bytes) refuse(path, "{} bytes of data, the header names {}", data_bytes, position);
}

Metadata parse_metadata(const Json& value, const std::string& path) {
  Metadata metadata;
  if (!value.is_object()) refuse(path, "{} is not an object", kMetadataKey);
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) refuse(path, "{}: the value of '{}' is not a string", kMetadataKey, key);
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

// What the engine computes with: five types, up to four axes.
Tensor tensor_of(const StoredTensor& stored, std::string_view data, const std::string& path) {
  const auto type =
      std::ranges::find_if(kTypes, [&](const auto& known) { return stored.dtype == known.first; });
  if (type == kTypes.end()) {
    refuse(path, "tensor '{}' is {}; F64, F32, I32, BF16 and I8 are known", stored.name, stored.dtype);
  }
  if (stored.shape.size() > Shape::kMaxRank) {
    refuse(path, "tensor '{}' has {} axes; up to {} are known", stored.name, stored.shape.size(),
           Shape::kMaxRank);
  }
  const Tensor tensor = Tensor::empty(Shape::of(stored.shape), type->second);
  if (tensor.bytes() > 0)
    std::memcpy(tensor.raw(), data.data() + stored.begin, static_cast<size_t>(tensor.bytes()));
  return tensor;
}

// ---- writing

size_t index_of(DType dtype) {
  const auto is_it = [&](const auto& known) { return known.second == dtype; };
  return static_cast<size_t>(std::find_if(kTypes.begin(), kTypes.end(), is_it) - kTypes.begin());
}

std::vector<const TensorMap::value_type*> in_file_order(const TensorMap& tensors) {
  std::vector<const TensorMap::value_type*> order;
  for (const auto& item : tensors) {
    const auto& [name, tensor] = item;
    XF_CHECK(name != kMetadataKey, "safetensors: a tensor must not be named {}", name);
    XF_CHECK(tensor.defined() && tensor.contiguous() && tensor.device() == Device::cpu(),
             "safetensors: '{}' must be a contiguous tensor on the cpu", name);
    order.push_back(&item);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return index_of(a->second.dtype()) < index_of(b->second.dtype());
  });
  return order;
}

// Length and JSON, padded with spaces so that the data begins at a multiple of 8.
std::string make_header(const std::vector<const TensorMap::value_type*>& order, Metadata metadata) {
  metadata["format"] = "pt";
  nlohmann::ordered_json json;
  json[kMetadataKey] = metadata;
  int64_t position = 0;
  for (const auto* item : order) {
    const auto& [name, tensor] = *item;
    std::vector<int64_t> extents;
    for (int i = 0; i < tensor.rank(); ++i) extents.push_back(tensor.dim(i));
    json[name] = {{"dtype", kTypes[index_of(tensor.dtype())].first},
                  {"shape", extents},
                  {"data_offsets", {position, position + tensor.bytes()}}};
    position += tensor.bytes();
  }
  std::string text;
  try {
    text = json.dump();
  } catch (const Json::exception& error) {
    fail(ErrorKind::failure, "safetensors: a name or metadata is not UTF-8 ({})", error.what());
  }
  text.append((kHeaderAlignment - text.size() % kHeaderAlignment) % kHeaderAlignment, ' ');
  XF_CHECK(text.size() <= kMaxHeader, "safetensors: a header of {} bytes is longer than {}", text.size(),
           kMaxHeader);
  const uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), kLengthBytes) + text;
}

}  // namespace

Crc64 write_safetensors(const std::string& path, const TensorMap& tensors, const Metadata& metadata) {
  const auto order = in_file_order(tensors);
  const std::string header = make_header(order, metadata);
  std::vector<std::string_view> pieces = {header};
  for (const auto* item : order) {
    const Tensor& tensor = item->second;
    pieces.emplace_back(static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.bytes()));
  }
  Crc64 checksum;
  for (const std::string_view piece : pieces) checksum.add(piece);
  atomic_write_pieces(path, pieces);
  return checksum;
}

SafetensorsHeader parse_safetensors_header(std::string_view bytes, const std::string& path) {
  const std::string_view text = header_of(bytes, path);
  SafetensorsHeader header;
  const Json json = parse_json(text, path);
  for (const auto& [name, value] : json.items()) {
    if (name == kMetadataKey) {
      header.metadata = parse_metadata(value, path);
    } else {
      header.tensors.push_back(parse_entry(name, value, path));
    }
  }
  check_ranges(header.tensors, bytes.size() - kLengthBytes - text.size(), path);
  return header;
}

SafetensorsFile parse_safetensors(std::string_view bytes, const std::string& path) {
  SafetensorsHeader header = parse_safetensors_header(bytes, path);
  const std::string_view data = bytes.substr(kLengthBytes + header_of(bytes, path).size());
  SafetensorsFile file;
  for (const StoredTensor& stored : header.tensors)
    file.tensors.emplace(stored.name, tensor_of(stored, data, path));
  file.metadata = std::move(header.metadata);
  return file;
}

SafetensorsFile read_safetensors(const std::string& path) {
  return parse_safetensors(MappedFile(path).bytes(), path);
}

}  // namespace xf::nn
