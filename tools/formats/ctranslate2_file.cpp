#include "tools/formats/ctranslate2_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/input_limits.h"

namespace xf::tools::exchange {

namespace {

constexpr uint32_t kVersion = 6;
constexpr uint8_t kMostAxes = 8;
// At the place of their number in the file.
constexpr ArrayType kTypes[] = {ArrayType::f32, ArrayType::i8,  ArrayType::i16,
                                ArrayType::i32, ArrayType::f16, ArrayType::bf16};

// ---- writing

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_string(std::string& bytes, const std::string& text) {
  append(bytes, static_cast<uint16_t>(text.size() + 1));
  bytes.append(text.c_str(), text.size() + 1);
}

std::string header_of(const std::string& name, const StoredArray& array) {
  if (array.bytes.size() > std::numeric_limits<uint32_t>::max())
    fail(ErrorKind::usage,
         "ctranslate2: {} takes {} bytes, and the format ends at 4 GiB a tensor; export to safetensors", name,
         array.bytes.size());
  std::string bytes;
  append_string(bytes, name);
  append(bytes, static_cast<uint8_t>(array.shape.size()));
  for (const int64_t extent : array.shape) append(bytes, static_cast<uint32_t>(extent));
  append(bytes, static_cast<uint8_t>(std::ranges::find(kTypes, array.type) - kTypes));
  append(bytes, static_cast<uint32_t>(array.bytes.size()));
  return bytes;
}

// ---- reading

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& path) : rest_(bytes), path_(path) {}

  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string string() {
    const std::string_view text = take(number<uint16_t>());
    if (text.empty() || text.find('\0') != text.size() - 1) refuse("a name does not end with its zero");
    return std::string(text.substr(0, text.size() - 1));
  }
  std::string_view take(size_t count) {
    if (count > rest_.size()) refuse("it ends too early");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  bool at_end() const { return rest_.empty(); }
  [[noreturn]] void refuse(const std::string& why) const {
    fail(ErrorKind::data, "{}: not a valid CTranslate2 model: {}; copy or convert it again", path_, why);
  }

 private:
  std::string_view rest_;
  const std::string& path_;
};

StoredArray read_array(Reader& reader, const std::string& name) {
  StoredArray array;
  const auto rank = reader.number<uint8_t>();
  if (rank > kMostAxes) reader.refuse(fmt::format("{} has {} axes", name, rank));
  for (uint8_t i = 0; i < rank; ++i) array.shape.push_back(reader.number<uint32_t>());
  const auto type = reader.number<uint8_t>();
  if (type >= std::size(kTypes)) reader.refuse(fmt::format("{} is of type {}", name, type));
  array.type = kTypes[type];
  array.bytes = reader.take(reader.number<uint32_t>());
  const int64_t elements = elements_of(array.shape, name);
  if (static_cast<uint64_t>(elements * size_of(array.type)) != array.bytes.size())
    reader.refuse(
        fmt::format("{} is [{}] and has {} bytes", name, fmt::join(array.shape, ", "), array.bytes.size()));
  return array;
}

}  // namespace

void write_ctranslate2_file(const std::string& path, const CTranslate2File& file) {
  std::deque<std::string> own;  // what lies between the values
  std::vector<std::string_view> pieces;
  const auto add = [&](std::string bytes) { pieces.emplace_back(own.emplace_back(std::move(bytes))); };
  std::string start;
  append(start, kVersion);
  append_string(start, file.specification);
  append(start, file.revision);
  append(start, static_cast<uint32_t>(file.variables.size()));
  add(start);
  for (const auto& [name, array] : file.variables) {
    add(header_of(name, array));
    pieces.push_back(array.bytes);
  }
  std::string end;
  append(end, static_cast<uint32_t>(file.aliases.size()));
  for (const auto& [alias, name] : file.aliases) {
    append_string(end, alias);
    append_string(end, name);
  }
  add(end);
  atomic_write_pieces(path, pieces);
}

CTranslate2File parse_ctranslate2_file(std::string_view bytes, const std::string& path) {
  Reader reader(bytes, path);
  const auto version = reader.number<uint32_t>();
  if (version != kVersion) reader.refuse(fmt::format("version {}, and {} is known", version, kVersion));
  CTranslate2File file;
  file.specification = reader.string();
  file.revision = reader.number<uint32_t>();
  std::set<std::string> names;
  const auto take_name = [&] {
    std::string name = reader.string();
    if (std::ssize(names) == limits::kMostArrays)
      reader.refuse(fmt::format("more than {} variables", limits::kMostArrays));
    if (!names.insert(name).second) reader.refuse(fmt::format("{} appears twice in it", name));
    return name;
  };
  for (auto left = reader.number<uint32_t>(); left > 0; --left) {
    std::string name = take_name();
    StoredArray array = read_array(reader, name);
    file.variables.emplace_back(std::move(name), std::move(array));
  }
  const std::set<std::string> variables = names;
  for (auto left = reader.number<uint32_t>(); left > 0; --left) {
    std::string alias = take_name(), name = reader.string();
    if (!variables.contains(name))
      reader.refuse(fmt::format("{} is another name of {}, which is not there", alias, name));
    file.aliases.emplace_back(std::move(alias), std::move(name));
  }
  if (!reader.at_end()) reader.refuse("bytes are left over at its end");
  return file;
}

}  // namespace xf::tools::exchange
