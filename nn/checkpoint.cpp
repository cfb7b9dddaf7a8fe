#include "nn/checkpoint.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/checksum.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json_depth.h"

namespace xf::nn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int64_t kFormatVersion = 1;
constexpr const char* kModelFile = "model.safetensors";
constexpr const char* kOptimizerFile = "optimizer.safetensors";
constexpr const char* kConfigFile = "config.toml";
constexpr const char* kStateFile = "state.json";
constexpr const char* kNonFinite = "f64";  // JSON has no infinity: {"f64": "inf"}

// ---- State <-> JSON. Integers have no point and doubles have one, so each comes back as what it was; the
// library prints the shortest digits that read back to the same bits.

Json to_json(int64_t value) { return value; }
Json to_json(const std::string& value) { return value; }
Json to_json(double value) {
  if (std::isfinite(value)) return value;
  const char* name = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  return Json{{kNonFinite, name}};
}
template <typename T>
Json to_json(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(to_json(value));
  return list;
}

double read_double(const Json& json) {
  return json.is_object() ? std::stod(json.at(kNonFinite).get<std::string>()) : json.get<double>();
}

State::Value list_from_json(const Json& list) {
  if (list.empty() || list.front().is_number_integer()) return list.get<std::vector<int64_t>>();
  if (list.front().is_string()) return list.get<std::vector<std::string>>();
  std::vector<double> values;
  for (const Json& item : list) values.push_back(read_double(item));
  return values;
}

State::Value value_from_json(const Json& json) {
  if (json.is_array()) return list_from_json(json);
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return json.get<int64_t>();
  return read_double(json);
}

Json state_to_json(const State& state) {
  Json json = Json::object();
  for (const auto& [key, value] : state.values()) {
    json[key] = std::visit([](const auto& typed) { return to_json(typed); }, value);
  }
  return json;
}

// ---- files and their checksums

Crc64 checksum_of(std::string_view bytes) {
  Crc64 checksum;
  checksum.add(bytes);
  return checksum;
}

Json record_of(const Crc64& checksum) {
  return {{"bytes", checksum.bytes()}, {"crc64", checksum.hexadecimal()}};
}

// state.json vouches for the other files, and its own checksum for itself: over the canonical text of the
// content.
void write_state(const std::string& folder, const Checkpoint& checkpoint, const Json& files) {
  const Json content = {{"version", kFormatVersion},
                        {"update", checkpoint.update},
                        {"files", files},
                        {"state", state_to_json(checkpoint.state)}};
  const Json json = {{"content", content}, {"crc64", checksum_of(content.dump()).hexadecimal()}};
  atomic_write(folder + "/" + kStateFile, json.dump(2) + "\n");
}

[[noreturn]] void fail_damaged(const std::string& path, const std::string& why) {
  fail(ErrorKind::data, "{}: damaged: {}; use another checkpoint", path, why);
}

Json read_content(const std::string& folder) {
  const std::string path = folder + "/" + kStateFile;
  const std::string text = read_file(path);
  if (is_too_deep_json(text)) fail_damaged(path, "nested too deep");
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("content") || !json.contains("crc64")) {
    fail_damaged(path, "not the JSON it should be");
  }
  Json content = json["content"];
  if (json["crc64"] != checksum_of(content.dump()).hexadecimal()) fail_damaged(path, "its checksum differs");
  if (content.at("version") != kFormatVersion) {
    fail(ErrorKind::data, "{}: written in version {} of the format, this program reads {}; use a newer one",
         path, content["version"].dump(), kFormatVersion);
  }
  return content;
}

std::string read_checked(const std::string& folder, const std::string& name, const Json& files) {
  const std::string path = folder + "/" + name;
  if (!files.contains(name)) fail(ErrorKind::data, "{}: {} does not know this file", path, kStateFile);
  std::string bytes = read_file(path);
  const auto expected = files[name].at("bytes").get<size_t>();
  if (bytes.size() != expected)
    fail_damaged(path, fmt::format("{} bytes, written were {}", bytes.size(), expected));
  if (files[name].at("crc64") != checksum_of(bytes).hexadecimal()) fail_damaged(path, "its checksum differs");
  return bytes;
}

enum class Parts { model, all };

Checkpoint read_parts(const std::string& folder, Parts parts) {
  const Json content = read_content(folder);
  const Json& files = content.at("files");
  Checkpoint checkpoint;
  checkpoint.update = content.at("update").get<int64_t>();
  for (const auto& [key, value] : content.at("state").items())
    checkpoint.state.set(key, value_from_json(value));
  checkpoint.config = read_checked(folder, kConfigFile, files);
  auto model = parse_safetensors(read_checked(folder, kModelFile, files), folder + "/" + kModelFile);
  checkpoint.model = std::move(model.tensors);
  checkpoint.metadata = std::move(model.metadata);
  if (parts == Parts::all) {
    const std::string path = folder + "/" + kOptimizerFile;
    checkpoint.optimizer = parse_safetensors(read_checked(folder, kOptimizerFile, files), path).tensors;
  }
  return checkpoint;
}

// ---- folders

void fill_folder(const std::string& folder, const Checkpoint& checkpoint) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (!fs::create_directory(folder, error)) {
    fail(ErrorKind::resources,
         "{}: cannot make the folder: {}; free some space or choose a folder you may write to", folder,
         error.message());
  }
  Json files;
  files[kModelFile] =
      record_of(write_safetensors(folder + "/" + kModelFile, checkpoint.model, checkpoint.metadata));
  if (!checkpoint.optimizer.empty()) {
    files[kOptimizerFile] =
        record_of(write_safetensors(folder + "/" + kOptimizerFile, checkpoint.optimizer, {}));
  }
  atomic_write(folder + "/" + kConfigFile, checkpoint.config);
  files[kConfigFile] = record_of(checksum_of(checkpoint.config));
  for (const auto& [name, bytes] : checkpoint.companions) {
    atomic_write(folder + "/" + name, bytes);
    files[name] = record_of(checksum_of(bytes));
  }
  write_state(folder, checkpoint, files);
}

// Afterwards `folder` is the new one; an old one, if there was any, lies in `temporary` until it is removed.
bool move_into_place(const std::string& temporary, const std::string& folder) {
  if (::rename(temporary.c_str(), folder.c_str()) == 0) return true;
  if (errno != ENOTEMPTY && errno != EEXIST) return false;
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // A file system that cannot exchange: for a moment neither is in place.
  const std::string old = folder + ".old.tmp";
  if (::rename(folder.c_str(), old.c_str()) != 0 || ::rename(temporary.c_str(), folder.c_str()) != 0)
    return false;
  return ::rename(old.c_str(), temporary.c_str()) == 0;
}

}  // namespace

template <typename T>
T State::get(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end())
    fail(ErrorKind::data, "{}: no '{}'; was this written by another program?", kStateFile, key);
  if (const T* value = std::get_if<T>(&found->second)) return *value;
  if constexpr (!std::is_arithmetic_v<T> && !std::is_same_v<T, std::string>) {
    const auto* empty = std::get_if<std::vector<int64_t>>(&found->second);
    if (empty && empty->empty()) return {};  // an empty list has lost its type in the file
  }
  fail(ErrorKind::data, "{}: '{}' is of another type; was this written by another program?", kStateFile, key);
}

template int64_t State::get(const std::string&) const;
template double State::get(const std::string&) const;
template std::string State::get(const std::string&) const;
template std::vector<int64_t> State::get(const std::string&) const;
template std::vector<double> State::get(const std::string&) const;
template std::vector<std::string> State::get(const std::string&) const;

void write_checkpoint(const std::string& folder, const Checkpoint& checkpoint) {
  const std::string temporary = folder + ".tmp";
  std::error_code ignored;
  try {
    fill_folder(temporary, checkpoint);
    sync_folder(temporary);
    if (!move_into_place(temporary, folder)) {
      fail(ErrorKind::resources, "{}: cannot move the new checkpoint here: {}", folder, std::strerror(errno));
    }
    sync_folder(fs::absolute(folder).parent_path().string());
  } catch (...) {
    fs::remove_all(temporary, ignored);  // a full disk needs the space
    throw;
  }
  fs::remove_all(temporary, ignored);
}

Checkpoint read_checkpoint(const std::string& folder) { return read_parts(folder, Parts::all); }
Checkpoint read_model(const std::string& folder) { return read_parts(folder, Parts::model); }

namespace {

Tensor widened(const Tensor& x) {
  const std::vector<float> values = x.to_vector<float>();
  return Tensor::from(std::vector<double>(values.begin(), values.end()), x.shape());
}

}  // namespace

TensorMap model_of(const Registry& registry) {
  TensorMap model;
  for (const Parameter& parameter : registry.parameters()) {
    model[parameter.name] = parameter.master.to(Device::cpu());
  }
  return model;
}

void load_model(const TensorMap& model, const Registry& registry, const std::string& where) {
  for (const Parameter& parameter : registry.parameters()) {
    const auto found = model.find(parameter.name);
    if (found == model.end()) fail(ErrorKind::data, "{}: the model has no {}", where, parameter.name);
    if (found->second.shape() != parameter.shape) {
      fail(ErrorKind::data, "{}: {} is {}, but the vocabulary and config.toml make it {}", where,
           parameter.name, found->second.shape().to_string(), parameter.shape.to_string());
    }
    const Tensor& value = found->second;
    const bool widen = value.dtype() == DType::f32 && parameter.master.dtype() == DType::f64;
    parameter.master.copy_from(widen ? widened(value) : value);
  }
  registry.round_masters();
}

bool is_checkpoint_alone(const std::string& folder) {
  if (!fs::is_regular_file(folder + "/" + kStateFile)) return false;
  try {
    const Json files = read_content(folder).at("files");
    return std::ranges::all_of(fs::directory_iterator(folder), [&](const fs::directory_entry& entry) {
      const std::string name = entry.path().filename().string();
      return name == kStateFile || files.contains(name);
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    return false;
  }
}

int64_t read_update(const std::string& folder) { return read_content(folder).at("update").get<int64_t>(); }

}  // namespace xf::nn
