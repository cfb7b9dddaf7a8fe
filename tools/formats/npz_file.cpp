#include "tools/formats/npz_file.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/error.h"
#include "core/mapped_file.h"
#include "core/number_text.h"
#include "tools/formats/zip_file.h"

namespace xf::tools::exchange {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY", kEnding = ".npy";
constexpr uint64_t kLongestHeader = 1024;  // that is looked for in what is deflated; NumPy's has
                                           // 128 bytes

using Name = std::pair<std::string_view, ArrayType>;
constexpr std::array kTypes = {Name{"f8", ArrayType::f64}, Name{"f4", ArrayType::f32},
                               Name{"f2", ArrayType::f16}, Name{"i8", ArrayType::i64},
                               Name{"i4", ArrayType::i32}, Name{"i2", ArrayType::i16},
                               Name{"i1", ArrayType::i8}};

// The header: a dictionary as Python writes one, "{'descr': '<f4', 'fortran_order': False, 'shape':
// (2, 3), }".
class Header {
 public:
  Header(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  [[noreturn]] void refuse(const std::string& why) const {
    fail(ErrorKind::data, "{}: {}; save it again with numpy.savez", where_, why);
  }
  StoredArray read() {
    StoredArray array;
    expect('{');
    for (int entry = 0; entry < 3; ++entry) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        array.type = type();
      } else if (key == "fortran_order") {
        if (word() != "False") refuse("its matrix lies column by column");
      } else if (key == "shape") {
        array.shape = shape();
      } else {
        refuse("its header has an unknown entry");
      }
      take(',');
    }
    expect('}');
    return array;
  }

 private:
  void skip_spaces() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }
  bool take(char c) {
    skip_spaces();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) refuse("its header is not one of NumPy's");
  }
  std::string_view string() {
    expect('\'');
    const size_t length = text_.find('\'');
    if (length == std::string_view::npos) refuse("its header ends too early");
    const std::string_view result = text_.substr(0, length);
    text_.remove_prefix(length + 1);
    return result;
  }
  std::string_view word() {
    skip_spaces();
    const size_t length = std::min(text_.find_first_of(",}) "), text_.size());
    const std::string_view result = text_.substr(0, length);
    text_.remove_prefix(length);
    return result;
  }
  ArrayType type() {
    const std::string_view name = string();
    const auto found = std::ranges::find(kTypes, name.substr(std::min<size_t>(1, name.size())), &Name::first);
    if (found == kTypes.end() || (name.front() != '<' && name.front() != '|' && name.front() != '='))
      refuse(
          fmt::format("its numbers are '{}'; "
                      "floats of 16 to 64 bits and whole numbers are read, in little-endian order",
                      name));
    return found->second;
  }
  std::vector<int64_t> shape() {
    std::vector<int64_t> result;
    expect('(');
    while (!take(')')) {
      const auto extent = number_in<int64_t>(word());
      if (!extent || *extent < 0) refuse("its shape is invalid");
      result.push_back(*extent);
      if (!take(',') && (text_.empty() || text_.front() != ')')) refuse("its shape is invalid");
    }
    return result;
  }

  std::string_view text_;
  const std::string& where_;
};

// An array whose file has `size` bytes and begins with these.
StoredArray parse_npy(std::string_view bytes, uint64_t size, const std::string& where) {
  constexpr size_t kVersion = 6, kLength = 8;
  const auto refuse = [&](const char* why) {
    fail(ErrorKind::data, "{}: {}; copy or save it again", where, why);
  };
  if (!bytes.starts_with(kMagic) || bytes.size() < kLength + 4) refuse("no array of NumPy");
  const size_t width = bytes[kVersion] == 1 ? 2 : 4;
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + kLength, width);
  const size_t data = kLength + width;
  if (length > bytes.size() - data) refuse("its header is longer than the file");
  StoredArray array = Header(bytes.substr(data, length), where).read();
  array.begin = data + length;
  if (static_cast<uint64_t>(elements_of(array.shape, where) * size_of(array.type)) != size - array.begin)
    refuse("its numbers do not fill its shape");
  return array;
}

}  // namespace

StoredArrays parse_npz_file(std::string_view bytes, const std::string& path) {
  const ZipEntries files = parse_zip(bytes, path);
  StoredArrays result{.arrays = {}, .owners = {}, .bytes = readable_bytes(files)};
  std::string beginning;
  for (const auto& [file, entry] : files) {
    const std::string name = file.ends_with(kEnding) ? file.substr(0, file.size() - kEnding.size()) : file;
    const uint64_t read = entry.is_deflated() ? kLongestHeader : entry.size();
    const std::string_view content = entry.read(read, beginning);
    StoredArray array = parse_npy(content, entry.size(), path + ": " + name);
    if (entry.is_deflated()) {
      array.deflated = std::make_shared<ZipEntry>(entry);
    } else {
      array.bytes = content.substr(array.begin);
    }
    result.arrays[name] = std::move(array);
  }
  return result;
}

StoredArrays npz_arrays(const std::string& path) {
  const auto file = std::make_shared<MappedFile>(path);
  StoredArrays result = parse_npz_file(file->bytes(), path);
  result.owners.push_back(file);
  return result;
}

}  // namespace xf::tools::exchange
