#include "tools/formats/torch_file.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/error.h"
#include "core/input_limits.h"
#include "core/mapped_file.h"
#include "tools/formats/pickle.h"
#include "tools/formats/zip_file.h"

namespace xf::tools::exchange {

namespace {

using Kind = Pickled::Kind;
using Name = std::pair<std::string_view, ArrayType>;
constexpr std::array kStorages = {
    Name{"torch DoubleStorage", ArrayType::f64}, Name{"torch FloatStorage", ArrayType::f32},
    Name{"torch HalfStorage", ArrayType::f16},   Name{"torch BFloat16Storage", ArrayType::bf16},
    Name{"torch LongStorage", ArrayType::i64},   Name{"torch IntStorage", ArrayType::i32},
    Name{"torch ShortStorage", ArrayType::i16},  Name{"torch CharStorage", ArrayType::i8}};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  fail(ErrorKind::data, "{}: not a file of tensors as torch.save() writes it: {}; save it as safetensors",
       path, why);
}

ArrayType type_of(const Pickled& storage, const std::string& path) {
  const std::string& name = storage.items.front()->text;
  const auto found = std::ranges::find(kStorages, name, &Name::first);
  if (found == kStorages.end()) refuse(path, fmt::format("a storage of {}", name));
  return found->second;
}

// Row by row, the last axis' elements side by side. Along an axis of one element nothing is
// stepped.
bool is_packed(const std::vector<PickledPtr>& shape, const std::vector<PickledPtr>& strides) {
  int64_t stride = 1;
  for (size_t i = shape.size(); i > 0; --i) {
    const int64_t extent = shape[i - 1]->integer;
    if (extent != 1 && strides[i - 1]->integer != stride) return false;
    if (__builtin_mul_overflow(stride, extent, &stride)) return false;
  }
  return true;
}

// A storage's bytes, or the entry of an archive that has deflated them.
struct Storage {
  std::string_view bytes;
  const ZipEntry* deflated = nullptr;

  uint64_t size() const { return deflated ? deflated->size() : bytes.size(); }
};

StoredArray array_of(const Pickled& tensor, const Storage& storage, const std::string& name,
                     const std::string& path) {
  StoredArray array;
  array.type = type_of(*tensor.items[0], path);
  for (const PickledPtr& extent : tensor.items[1]->items) array.shape.push_back(extent->integer);
  const int64_t count = elements_of(array.shape, path + ": " + name), bytes = size_of(array.type);
  if (count > 0 && !is_packed(tensor.items[1]->items, tensor.items[2]->items))
    fail(ErrorKind::data,
         "{}: {} is a view whose rows do not follow each other, such as a transpose; save its contiguous()",
         path, name);
  const auto elements = static_cast<int64_t>(storage.size() / static_cast<uint64_t>(bytes));
  if (tensor.integer < 0 || tensor.integer > elements || count > elements - tensor.integer)
    refuse(path, name + " lies outside of its storage");
  array.begin = static_cast<uint64_t>(tensor.integer * bytes);
  if (storage.deflated) {
    array.deflated = std::make_shared<ZipEntry>(*storage.deflated);
  } else {
    array.bytes = storage.bytes.substr(array.begin, static_cast<size_t>(count * bytes));
  }
  return array;
}

// storage_of(storage) -> Storage
template <typename StorageOf>
StoredArrays arrays_of(const Pickled& dictionary, const StorageOf& storage_of, const std::string& path) {
  if (dictionary.kind != Kind::dictionary) refuse(path, "no dictionary");
  if (dictionary.items.size() / 2 > limits::kMostArrays)
    refuse(path, fmt::format("more than {} tensors", limits::kMostArrays));
  StoredArrays result;
  for (size_t i = 0; i < dictionary.items.size(); i += 2) {
    const Pickled &key = *dictionary.items[i], &value = *dictionary.items[i + 1];
    if (key.kind != Kind::text || value.kind != Kind::tensor)
      refuse(path, "something other than named tensors");
    result.arrays[key.text] = array_of(value, storage_of(*value.items[0]), key.text, path);
  }
  return result;
}

StoredArrays parse_archive(std::string_view bytes, const std::string& path) {
  const ZipEntries files = parse_zip(bytes, path);
  const auto pickle =
      std::ranges::find_if(files, [](const auto& file) { return file.first.ends_with("/data.pkl"); });
  if (pickle == files.end()) refuse(path, "no data.pkl");
  const std::string folder = pickle->first.substr(0, pickle->first.rfind('/') + 1);
  constexpr std::string_view kOrder = "little";
  std::string unpacked;
  if (const auto order = files.find(folder + "byteorder");
      order != files.end() &&
      (order->second.size() != kOrder.size() || order->second.read(kOrder.size(), unpacked) != kOrder))
    refuse(path, "of a machine with another order of bytes");
  if (pickle->second.size() > PickleReader::kLongest) refuse(path, "data.pkl is too long");
  const std::string_view program = pickle->second.read(PickleReader::kLongest, unpacked);
  const PickledPtr dictionary = PickleReader(program, path).read();
  const auto storage_of = [&](const Pickled& storage) {
    const auto file = files.find(folder + "data/" + storage.text);
    if (file == files.end()) refuse(path, "a storage is missing");
    const ZipEntry& entry = file->second;
    std::string none;
    return entry.is_deflated() ? Storage{{}, &entry} : Storage{entry.read(entry.size(), none)};
  };
  StoredArrays result = arrays_of(*dictionary, storage_of, path);
  result.bytes = readable_bytes(files);
  return result;
}

void collect_storages(const Pickled& dictionary, std::map<std::string, ArrayType>& types,
                      const std::string& path) {
  for (const PickledPtr& item : dictionary.items) {
    if (item->kind == Kind::tensor) types[item->items[0]->text] = type_of(*item->items[0], path);
  }
}

// Pickles of a magic number, a version, the system, the dictionary, the storages' keys; then for
// each key the number of its elements, i64, and these.
StoredArrays parse_older(std::string_view bytes, const std::string& path) {
  PickleReader reader(bytes, path);
  for (int i = 0; i < 3; ++i) reader.read();
  const PickledPtr dictionary = reader.read(), keys = reader.read();
  std::map<std::string, ArrayType> types;
  collect_storages(*dictionary, types, path);
  std::string_view rest = reader.rest();
  std::map<std::string, std::string_view> storages;
  for (const PickledPtr& key : keys->items) {
    int64_t elements = 0;
    if (!types.contains(key->text) || rest.size() < sizeof elements)
      refuse(path, "its storages are not those of its tensors");
    std::memcpy(&elements, rest.data(), sizeof elements);
    rest.remove_prefix(sizeof elements);
    const int64_t bytes_each = size_of(types.at(key->text));
    if (elements < 0 || elements > static_cast<int64_t>(rest.size()) / bytes_each)
      refuse(path, "it ends too early");
    storages[key->text] = rest.substr(0, static_cast<size_t>(elements * bytes_each));
    rest.remove_prefix(storages[key->text].size());
  }
  const auto storage_of = [&](const Pickled& storage) {
    const auto found = storages.find(storage.text);
    if (found == storages.end()) refuse(path, "a storage is missing");
    return Storage{found->second};
  };
  StoredArrays result = arrays_of(*dictionary, storage_of, path);
  result.bytes = bytes.size();
  return result;
}

}  // namespace

StoredArrays parse_torch_file(std::string_view bytes, const std::string& path) {
  return bytes.starts_with("PK") ? parse_archive(bytes, path) : parse_older(bytes, path);
}

StoredArrays torch_arrays(const std::string& path) {
  const auto file = std::make_shared<MappedFile>(path);
  StoredArrays result = parse_torch_file(file->bytes(), path);
  result.owners.push_back(file);
  return result;
}

}  // namespace xf::tools::exchange
