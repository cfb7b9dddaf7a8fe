#include "tools/formats/hf_weights.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_depth.h"
#include "tools/formats/safetensors_arrays.h"
#include "tools/formats/settings.h"
#include "tools/formats/torch_file.h"

namespace xf::tools::exchange {

namespace {

namespace fs = std::filesystem;

constexpr const char* kIndex = ".index.json";

struct Form {
  const char* file;
  StoredArrays (*read)(const std::string& path);
};
constexpr Form kForms[] = {{"/model.safetensors", &safetensors_arrays},
                           {"/pytorch_model.bin", &torch_arrays}};

// Where the weights are in one of the forms: a file, or the index of several; "": not in this one.
std::string path_of(const std::string& folder, const Form& form) {
  std::error_code unknown;
  for (const std::string& path : {folder + form.file, folder + form.file + kIndex}) {
    if (fs::is_regular_file(path, unknown)) return path;
  }
  return "";
}

void add(StoredArrays& all, StoredArrays of_file) {
  all.arrays.merge(of_file.arrays);
  all.bytes += of_file.bytes;
  all.owners.insert(all.owners.end(), of_file.owners.begin(), of_file.owners.end());
}

}  // namespace

std::vector<std::string> files_of_index(std::string_view json, const std::string& path) {
  const auto index = is_too_deep_json(json) ? nlohmann::ordered_json()
                                            : nlohmann::ordered_json::parse(json.begin(), json.end(), nullptr,
                                                                            /*allow_exceptions=*/false);
  const auto map = index.is_object() ? index.find("weight_map") : index.end();
  if (!index.is_object() || map == index.end() || !map->is_object() || map->empty())
    fail(ErrorKind::data, "{}: no index of tensors, with a weight_map; copy it again", path);
  std::vector<std::string> files;
  for (const auto& file : *map) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    if (name.empty() || name == ".." || name.find('/') != std::string::npos)
      fail(ErrorKind::data, "{}: its weight_map names '{}', which is missing in the same folder", path, name);
    if (std::ranges::find(files, name) == files.end()) files.push_back(name);
  }
  return files;
}

bool has_hf_weights(const std::string& folder) {
  return std::ranges::any_of(kForms, [&](const Form& form) { return !path_of(folder, form).empty(); });
}

StoredWeights read_hf_weights(const std::string& folder) {
  std::error_code unknown;
  for (const Form& form : kForms) {
    const std::string path = path_of(folder, form);
    if (path.empty()) continue;
    if (!path.ends_with(kIndex)) return {path, form.read(path)};
    StoredArrays all;
    for (const std::string& file : files_of_index(read_model_text(path), path)) {
      if (!fs::is_regular_file(folder + "/" + file, unknown))
        fail(ErrorKind::data, "{}: names {}, which is not there; copy it again", path, file);
      add(all, form.read(folder + "/" + file));
    }
    return {path, std::move(all)};
  }
  fail(ErrorKind::data, "{}: neither model.safetensors nor pytorch_model.bin in this folder", folder);
}

}  // namespace xf::tools::exchange
