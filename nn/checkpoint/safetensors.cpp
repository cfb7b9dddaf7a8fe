#include "nn/checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/json_depth.h"

namespace xf::nn {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "tensors are copied to the file as they lie in memory");

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr uint64_t kHeaderAlignment = 8;
constexpr const char* kMetadataKey = "__metadata__";

// Every type of the format, in the order in which the official writer sorts tensors by type.
struct StoredType {
  std::string_view name;
  uint64_t bits;  // of an element
  std::optional<DType> ours = std::nullopt;
};
constexpr auto kTypes = std::to_array<StoredType>({{"U64", 64},
                                                   {"I64", 64},
                                                   {"F64", 64, DType::f64},
                                                   {"C64", 64},
                                                   {"F32", 32, DType::f32},
                                                   {"U32", 32},
                                                   {"I32", 32, DType::i32},
                                                   {"BF16", 16, DType::bf16},
                                                   {"F16", 16},
                                                   {"U16", 16},
                                                   {"I16", 16},
                                                   {"F8_E5M2FNUZ", 8},
                                                   {"F8_E4M3FNUZ", 8},
                                                   {"F8_E8M0", 8},
                                                   {"F8_E4M3", 8},
                                                   {"F8_E5M2", 8},
                                                   {"I8", 8, DType::i8},
                                                   {"U8", 8},
                                                   {"F6_E3M2", 6},
                                                   {"F6_E2M3", 6},
                                                   {"F4", 4},
                                                   {"BOOL", 8}});

template <typename... Args>
[[noreturn]] void refuse(const std::string& path, fmt::format_string<Args...> format, Args&&... args) {
  fail(ErrorKind::data, "{}: not a valid safetensors file: {}; copy or save it again", path,
       fmt::format(format, std::forward<Args>(args)...));
}

// ---- reading

// The library keeps the last of two equal keys; the format forbids them. Linear, where its
// callbacks are quadratic.
class KeyCheck final : public nlohmann::json_sax<Json> {
 public:
  explicit KeyCheck(const std::string& path) : path_(path) {}

  bool start_object(size_t) override {
    keys_.emplace_back();
    return true;
  }
  bool key(std::string& name) override {
    if (!keys_.back().insert(name).second) refuse(path_, "key '{}' appears twice in the header", name);
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool parse_error(size_t, const std::string&, const Json::exception& error) override {
    refuse(path_, "the header is not JSON ({:.200})", error.what());
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(int64_t) override { return true; }
  bool number_unsigned(uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(Json::binary_t&) override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }

 private:
  const std::string& path_;
  std::vector<std::set<std::string>> keys_;  // of the objects now open
};

Json parse_json(std::string_view text, const std::string& path) {
  if (is_too_deep_json(text)) refuse(path, "the header is nested too deep");
  // The library takes a zero byte for the end, and passes over a byte order mark.
  if (text.find('\0') != std::string_view::npos) refuse(path, "the header has a zero byte in it");
  const size_t first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos || text[first] != '{')
    refuse(path, "the header does not begin with '{{'");
  KeyCheck keys(path);
  Json::sax_parse(text.begin(), text.end(), &keys);
  return Json::parse(text.begin(), text.end());
}

// Of the header in a file of `size` bytes, by the first of them.
uint64_t header_length(std::string_view beginning, uint64_t size, const std::string& path) {
  if (size < kLengthBytes) refuse(path, "{} bytes cannot hold a header", size);
  uint64_t length;
  std::memcpy(&length, beginning.data(), kLengthBytes);
  if (length > kMaxHeader) refuse(path, "a header of {} bytes is longer than {}", length, kMaxHeader);
  if (length > size - kLengthBytes)
    refuse(path, "a header of {} bytes ends after the file's {}", length, size);
  return length;
}

const StoredType& type_of(const std::string& dtype, const std::string& tensor, const std::string& path) {
  const auto* const type = std::ranges::find(kTypes, dtype, &StoredType::name);
  if (type == kTypes.end()) refuse(path, "tensor '{}' is {}, which is no type of the format", tensor, dtype);
  return *type;
}

// Of the elements, which fill whole bytes.
uint64_t bytes_of(const StoredTensor& tensor, const std::string& path) {
  uint64_t bits = 1;
  const auto multiply = [&](uint64_t by) {
    if (__builtin_mul_overflow(bits, by, &bits)) refuse(path, "tensor '{}': its size overflows", tensor.name);
  };
  for (const int64_t extent : tensor.shape) multiply(static_cast<uint64_t>(extent));
  multiply(type_of(tensor.dtype, tensor.name, path).bits);
  if (bits % 8 != 0) refuse(path, "tensor '{}' ends inside a byte, after {} bits", tensor.name, bits);
  return bits / 8;
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

// Whatever else stands there is passed over, as by the format's own reader.
StoredTensor parse_entry(const std::string& name, const Json& value, const std::string& path) {
  if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets") || !value["dtype"].is_string()) {
    refuse(path, "tensor '{}' has not dtype, shape and data_offsets", name);
  }
  StoredTensor tensor{name, value["dtype"].get<std::string>(), naturals(value["shape"], "shape", name, path)};
  const auto offsets = naturals(value["data_offsets"], "data_offsets", name, path);
  if (offsets.size() != 2) refuse(path, "tensor '{}': data_offsets is not [begin, end]", name);
  tensor.begin = static_cast<uint64_t>(offsets[0]), tensor.end = static_cast<uint64_t>(offsets[1]);
  const uint64_t bytes = bytes_of(tensor, path);
  if (tensor.begin > tensor.end || tensor.end - tensor.begin != bytes) {
    refuse(path, "tensor '{}' takes {} bytes, its data_offsets are [{}, {}]", name, bytes, tensor.begin,
           tensor.end);
  }
  return tensor;
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
  if (value.is_null()) return metadata;
  if (!value.is_object()) refuse(path, "{} is not an object", kMetadataKey);
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) refuse(path, "{}: the value of '{}' is not a string", kMetadataKey, key);
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

SafetensorsHeader header_from(std::string_view text, uint64_t data_bytes, const std::string& path) {
  SafetensorsHeader header;
  const Json json = parse_json(text, path);
  for (const auto& [name, value] : json.items()) {
    if (name == kMetadataKey) {
      header.metadata = parse_metadata(value, path);
    } else {
      header.tensors.push_back(parse_entry(name, value, path));
    }
  }
  check_ranges(header.tensors, data_bytes, path);
  header.data_begin = kLengthBytes + text.size();
  return header;
}

// What the engine computes with: five types, up to four axes. Its bytes are not there yet.
Tensor tensor_of(const StoredTensor& stored, const std::string& path) {
  const std::optional<DType> type = type_of(stored.dtype, stored.name, path).ours;
  if (!type) {
    fail(ErrorKind::data, "{}: tensor '{}' is {}; F64, F32, I32, BF16 and I8 are read here; convert it", path,
         stored.name, stored.dtype);
  }
  if (stored.shape.size() > Shape::kMaxRank) {
    fail(ErrorKind::data, "{}: tensor '{}' has {} axes; up to {} are read here", path, stored.name,
         stored.shape.size(), Shape::kMaxRank);
  }
  return Tensor::empty(Shape::of(stored.shape), *type);
}

// read(begin, tensor) puts the bytes of a tensor, which begin there in the file, into it.
template <typename Read>
SafetensorsFile file_from(SafetensorsHeader header, const std::string& path, const Read& read) {
  SafetensorsFile file;
  for (const StoredTensor& stored : header.tensors) {
    const Tensor tensor = tensor_of(stored, path);
    if (tensor.bytes() > 0) read(header.data_begin + stored.begin, tensor);
    file.tensors.emplace(stored.name, tensor);
  }
  file.metadata = std::move(header.metadata);
  return file;
}

// ---- writing

size_t index_of(DType dtype) {
  return static_cast<size_t>(std::ranges::find(kTypes, std::optional(dtype), &StoredType::ours) -
                             kTypes.begin());
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
    json[name] = {{"dtype", stored_type(tensor.dtype())},
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

std::string_view stored_type(DType dtype) { return kTypes[index_of(dtype)].name; }

SafetensorsHeader parse_safetensors_header(std::string_view bytes, const std::string& path) {
  const uint64_t length = header_length(bytes, bytes.size(), path);
  return header_from(bytes.substr(kLengthBytes, length), bytes.size() - kLengthBytes - length, path);
}

SafetensorsFile parse_safetensors(std::string_view bytes, const std::string& path) {
  return file_from(parse_safetensors_header(bytes, path), path, [&](uint64_t begin, const Tensor& tensor) {
    std::memcpy(tensor.raw(), bytes.data() + begin, static_cast<size_t>(tensor.bytes()));
  });
}

SafetensorsHeader read_safetensors_header(const StoredFile& file) {
  const int64_t beginning = std::min<int64_t>(file.size(), kLengthBytes);
  const auto size = static_cast<uint64_t>(file.size());
  const uint64_t length = header_length(file.bytes(0, beginning), size, file.path());
  return header_from(file.bytes(beginning, static_cast<int64_t>(length)), size - kLengthBytes - length,
                     file.path());
}

SafetensorsFile read_safetensors(const StoredFile& file) {
  return file_from(read_safetensors_header(file), file.path(), [&](uint64_t begin, const Tensor& tensor) {
    file.read(static_cast<int64_t>(begin), tensor.raw(), tensor.bytes());
  });
}

SafetensorsFile read_safetensors(const std::string& path) { return read_safetensors(StoredFile(path)); }

}  // namespace xf::nn
