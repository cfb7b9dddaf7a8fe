#include "tools/formats/stored_array.h"

#include <fmt/format.h>
#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/error.h"
#include "core/input_limits.h"

namespace xf::tools::exchange {

namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they lie in memory");

float widened(float value) { return value; }
float widened(double value) { return static_cast<float>(value); }
float widened(bf16 value) { return static_cast<float>(value); }
template <typename T>
float widened(T value) {
  return static_cast<float>(value);
}
struct Half {
  uint16_t bits;
};
float widened(Half value) { return _cvtsh_ss(value.bits); }

// The bytes may lie anywhere, so that they are copied and not pointed at.
template <typename T>
void widen(std::string_view bytes, float* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, bytes.data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
    values[i] = widened(value);
  }
}

}  // namespace

int64_t size_of(ArrayType type) {
  switch (type) {
    case ArrayType::f64:
    case ArrayType::i64: return 8;
    case ArrayType::f32:
    case ArrayType::i32: return 4;
    case ArrayType::f16:
    case ArrayType::bf16:
    case ArrayType::i16: return 2;
    case ArrayType::i8: return 1;
  }
  return 0;
}

int64_t elements_of(const std::vector<int64_t>& shape, const std::string& where) {
  int64_t count = 1;
  for (const int64_t extent : shape) {
    // Below 2^56, so that bytes can be counted too.
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count) || count >> 56 != 0)
      fail(ErrorKind::data, "{}: an array of [{}] elements; copy or save it again", where,
           fmt::join(shape, ", "));
  }
  return count;
}

std::string_view bytes_of(const StoredArray& array, const std::string& where, std::string& unpacked) {
  const auto size = static_cast<uint64_t>(elements_of(array.shape, where) * size_of(array.type));
  if (array.file)
    return unpacked = array.file->bytes(static_cast<int64_t>(array.begin), static_cast<int64_t>(size));
  const uint64_t there = array.deflated ? array.deflated->size() - array.begin : array.bytes.size();
  if (array.deflated ? size > there : size != there)
    fail(ErrorKind::data, "{}: [{}] elements do not fit its {} bytes; copy or save it again", where,
         fmt::join(array.shape, ", "), there);
  if (!array.deflated) return array.bytes;
  return array.deflated->read(array.begin + size, unpacked).substr(array.begin);
}

std::string text_of(const StoredArray& array, const std::string& where) {
  if (static_cast<uint64_t>(elements_of(array.shape, where)) > limits::kLongestDeflatedText)
    fail(ErrorKind::data, "{}: is longer than the {} bytes that a text may have; copy or save it again",
         where, limits::kLongestDeflatedText);
  std::string unpacked;
  const std::string_view bytes = bytes_of(array, where, unpacked);
  return std::string(bytes.substr(0, bytes.find('\0')));
}

Tensor f32_values(const StoredArray& array, const std::string& where) {
  if (array.shape.size() > Shape::kMaxRank)
    fail(ErrorKind::data, "{}: {} axes; up to {} are known", where, array.shape.size(), Shape::kMaxRank);
  const int64_t count = elements_of(array.shape, where);
  if (count == 0)
    fail(ErrorKind::data, "{}: an array of [{}], which has no element; copy or save it again", where,
         fmt::join(array.shape, ", "));
  std::string unpacked;
  const std::string_view bytes = bytes_of(array, where, unpacked);
  const Tensor tensor = Tensor::empty(Shape::of(array.shape), DType::f32);
  auto* values = tensor.data<float>();
  switch (array.type) {
    case ArrayType::f64: widen<double>(bytes, values, count); break;
    case ArrayType::f32: widen<float>(bytes, values, count); break;
    case ArrayType::f16: widen<Half>(bytes, values, count); break;
    case ArrayType::bf16: widen<bf16>(bytes, values, count); break;
    case ArrayType::i64: widen<int64_t>(bytes, values, count); break;
    case ArrayType::i32: widen<int32_t>(bytes, values, count); break;
    case ArrayType::i16: widen<int16_t>(bytes, values, count); break;
    case ArrayType::i8: widen<int8_t>(bytes, values, count); break;
  }
  return tensor;
}

const StoredArray& StoredWeights::array(const std::string& name) const {
  const auto found = stored_.arrays.find(name);
  if (found == stored_.arrays.end()) fail(ErrorKind::data, "{}: has no {}", path_, name);
  return found->second;
}

Tensor StoredWeights::tensor(const std::string& name) const {
  const Tensor values = f32_values(array(name), path_ + ": " + name);
  read_.insert(name);
  return values;
}

bool StoredWeights::same(const std::string& a, const std::string& b) const {
  const StoredArray &one = array(a), &other = array(b);
  if (one.type != other.type || one.shape != other.shape) return false;
  std::string unpacked, other_unpacked;
  return bytes_of(one, path_ + ": " + a, unpacked) == bytes_of(other, path_ + ": " + b, other_unpacked);
}

std::string StoredWeights::first_of(const std::vector<const char*>& names) const {
  for (const char* name : names) {
    if (has(name)) return name;
  }
  fail(ErrorKind::data, "{}: has no {}", path_, names.front());
}

std::vector<std::string> StoredWeights::left_over() const {
  std::vector<std::string> names;
  for (const auto& [name, array] : stored_.arrays) {
    if (!read_.contains(name)) names.push_back(name);
  }
  return names;
}

std::string f16_bytes(const Tensor& values) {
  std::string bytes(static_cast<size_t>(values.numel()) * sizeof(uint16_t), '\0');
  const auto* from = values.data<float>();
  for (size_t i = 0; i < static_cast<size_t>(values.numel()); ++i) {
    const uint16_t half = _cvtss_sh(from[i], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    std::memcpy(bytes.data() + i * sizeof half, &half, sizeof half);
  }
  return bytes;
}

}  // namespace xf::tools::exchange
