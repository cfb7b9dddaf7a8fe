// Arrays as files of other toolkits store them, of types that the engine may lack.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/stored_file.h"
#include "core/tensor.h"
#include "tools/formats/zip_file.h"

namespace xf::tools::exchange {

enum class ArrayType { f64, f32, f16, bf16, i64, i32, i16, i8 };
int64_t size_of(ArrayType type);  // bytes of an element

struct StoredArray {
  ArrayType type = ArrayType::f32;
  std::vector<int64_t> shape;  // [] is a scalar
  std::string_view bytes;      // row-major, packed, little-endian; its owner is elsewhere
  // In place of `bytes`, where an archive has deflated them: its entry, and where they begin in it.
  std::shared_ptr<const ZipEntry> deflated = nullptr;
  uint64_t begin = 0;
  // In place of both: they fill the shape, from `begin` on.
  std::shared_ptr<const StoredFile> file = nullptr;
};

// By name, with what owns their bytes: a mapped file, or memory.
struct StoredArrays {
  std::map<std::string, StoredArray> arrays;
  std::vector<std::shared_ptr<const void>> owners;
  uint64_t bytes = 0;  // that all of them can have: the file's, or what an archive may unpack
};

// Elements of a shape; Error data, beginning with `where`, for a negative extent and where they are
// too many to count.
int64_t elements_of(const std::vector<int64_t>& shape, const std::string& where);

// Its bytes where they lie, or in `unpacked`, where those of a file are. Error data, beginning with
// `where`, where they do not fill the shape.
std::string_view bytes_of(const StoredArray& array, const std::string& where, std::string& unpacked);

// The same of text, up to its first zero. Error data for one that is longer than texts are.
std::string text_of(const StoredArray& array, const std::string& where);

// The values as f32; integers and f64 are rounded to it. Error data, beginning with `where`, for
// more than four axes, for no elements, and where shape and bytes disagree.
Tensor f32_values(const StoredArray& array, const std::string& where);

// A model's arrays, and which of them somebody has asked for.
class StoredWeights {
 public:
  // `path`: of their file, for messages.
  StoredWeights(std::string path, StoredArrays stored) : path_(std::move(path)), stored_(std::move(stored)) {}

  bool has(const std::string& name) const { return stored_.arrays.contains(name); }
  // Error data for one that is missing; so has what follows.
  const StoredArray& array(const std::string& name) const;
  // As f32; from now on it has been asked for.
  Tensor tensor(const std::string& name) const;
  // Whether two are the same bytes.
  bool same(const std::string& a, const std::string& b) const;
  // The first of the names that is there.
  std::string first_of(const std::vector<const char*>& names) const;
  // Those that nobody has asked for.
  std::vector<std::string> left_over() const;
  uint64_t bytes() const { return stored_.bytes; }  // that all of them can have
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  StoredArrays stored_;
  mutable std::set<std::string> read_;
};

// f32 to f16, rounded to nearest even, as bytes.
std::string f16_bytes(const Tensor& values);

}  // namespace xf::tools::exchange
