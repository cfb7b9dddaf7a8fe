// The variables of CTranslate2's model.bin by name, aliases resolved, as numbers and tensors.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/mapped_file.h"
#include "tools/formats/stored_array.h"

namespace xf::tools::exchange {

class CTranslate2Variables {
 public:
  // Error usage for another kind of model than one that translates, data as
  // parse_ctranslate2_file() has it.
  explicit CTranslate2Variables(const std::string& path);

  bool has(const std::string& name) const { return arrays_.contains(name); }
  // What follows has Error data for a variable that is missing or of another shape.
  double number(const std::string& name, double otherwise) const;
  int64_t extent(const std::string& name, size_t axis) const;  // of a matrix
  // As f32; weights in eight and sixteen bits times their rows' scales.
  Tensor tensor(const std::string& name) const;
  bool is_flag(const std::string& name) const;  // whether a number is stored as true or false are
  // Stored once, under either name.
  bool same(const std::string& a, const std::string& b) const;

  // Error usage, naming it, for a variable that has a part of one of these names.
  void refuse(std::initializer_list<const char*> parts) const;
  // The same for one that nobody has read, but for a flag that is off: the model does more than
  // this engine knows of.
  void check_all_read() const;
  uint64_t bytes() const { return mapped_.size(); }
  const std::string& path() const { return path_; }

 private:
  const StoredArray& array(const std::string& name) const;
  void scale_rows(const std::string& name, const Tensor& values) const;
  [[noreturn]] void refuse(const std::string& name) const;

  std::string path_;
  MappedFile mapped_;
  std::map<std::string, StoredArray> arrays_;
  mutable std::set<const char*> read_;  // where their bytes begin
};

}  // namespace xf::tools::exchange
