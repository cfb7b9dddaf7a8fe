// The weights in a folder of transformers: model.safetensors, or pytorch_model.bin, or several of either with an index.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/formats/stored_array.h"

namespace xf::tools::exchange {

bool has_hf_weights(const std::string& folder);

class HfWeights {
 public:
  // Error data if there are none, and as safetensors_arrays() and torch_arrays() have it; of an index, for a file that is
  // missing or is in another folder.
  explicit HfWeights(const std::string& folder);

  bool has(const std::string& name) const { return stored_.arrays.contains(name); }
  // Whether two that are there are the same bytes.
  bool same(const std::string& a, const std::string& b) const;
  // As f32. Error data for one that is missing.
  Tensor tensor(const std::string& name) const;
  // The first of them that is there: which of tied tensors is saved depends on the writer.
  Tensor first_of(const std::vector<const char*>& names) const;
  // Those that nobody has asked for.
  std::vector<std::string> left_over() const;
  uint64_t bytes() const { return stored_.bytes; }  // that all of them can have
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  StoredArrays stored_;
  mutable std::set<std::string> read_;
};

// The files that an index names, each once, in its order. Error data, naming `path`, for what is no index.
std::vector<std::string> files_of_index(std::string_view json, const std::string& path);

}  // namespace xf::tools::exchange
