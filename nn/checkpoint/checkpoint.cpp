#include "nn/checkpoint/checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/folder_entries.h"
#include "core/folder_writer.h"
#include "core/stored_file.h"

namespace xf::nn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelFile = "model.safetensors";
constexpr const char* kOptimizerFile = "optimizer.safetensors";
constexpr const char* kModelConfigFile = "model.toml";
constexpr const char* kTrainingConfigFile = "training.toml";
constexpr const char* kEarlierConfigFile = "config.toml";

Manifest read_state(const std::string& folder) {
  const std::string path = folder + "/" + Manifest::kFileName;
  return parse_manifest(read_regular_file(path), path);
}

// A file that is as it was written. It is read twice, so that it does not lie in memory beside what
// is made of it.
StoredFile open_checked(const std::string& folder, const std::string& name, const Manifest& state) {
  const std::string path = folder + "/" + name;
  const auto expected = state.files.find(name);
  if (expected == state.files.end())
    fail(ErrorKind::data, "{}: {} does not list this file", path, Manifest::kFileName);
  StoredFile file(path);
  if (file.size() != expected->second.bytes)
    fail_damaged(path, fmt::format("{} bytes, expected {}", file.size(), expected->second.bytes));
  if (record_of(file.checksum()) != expected->second) fail_damaged(path, "its checksum differs");
  return file;
}

// "" where the checkpoint has no such file.
std::string text_of(const std::string& folder, const char* name, const Manifest& state) {
  return state.files.contains(name) ? open_checked(folder, name, state).bytes() : "";
}

// "" where there is none: of a model that was imported.
std::string training_config_of(const std::string& folder, const Manifest& state) {
  const bool is_earlier = !state.files.contains(kModelConfigFile);
  return is_earlier ? open_checked(folder, kEarlierConfigFile, state).bytes()
                    : text_of(folder, kTrainingConfigFile, state);
}

enum class Parts { model, all };

Checkpoint read_folder(const std::string& folder, Parts parts) {
  const Manifest state = read_state(folder);
  Checkpoint checkpoint;
  checkpoint.update = state.update;
  checkpoint.state = state.state;
  checkpoint.model_config = text_of(folder, kModelConfigFile, state);
  checkpoint.training_config = training_config_of(folder, state);
  SafetensorsFile model = read_safetensors(open_checked(folder, kModelFile, state));
  checkpoint.model = std::move(model.tensors);
  checkpoint.metadata = std::move(model.metadata);
  if (parts == Parts::all) {
    check_trainable(checkpoint.model, folder);
    checkpoint.optimizer = read_safetensors(open_checked(folder, kOptimizerFile, state)).tensors;
  }
  return checkpoint;
}

// Where a link leads now.
std::string followed(const std::string& folder) {
  const fs::path path = fs::path(folder + "/").parent_path();
  std::error_code no_link;
  const fs::path target = fs::read_symlink(path, no_link);
  return no_link ? folder : (path.parent_path() / target).string();
}

// All of one folder: a trainer moves `latest` and `best` on, and may remove where they led, while
// others read.
Checkpoint read_parts(const std::string& folder, Parts parts) {
  const std::string there = followed(folder);
  try {
    return read_folder(there, parts);
  } catch (const Error&) {
    if (followed(folder) == there) throw;
  }
  return read_folder(followed(folder), parts);
}

// ---- folders

void fill_folder(const std::string& folder, const Checkpoint& checkpoint) {
  Manifest state = {.update = checkpoint.update, .files = {}, .state = checkpoint.state};
  state.files[kModelFile] =
      record_of(write_safetensors(folder + "/" + kModelFile, checkpoint.model, checkpoint.metadata));
  if (!checkpoint.optimizer.empty()) {
    state.files[kOptimizerFile] =
        record_of(write_safetensors(folder + "/" + kOptimizerFile, checkpoint.optimizer, {}));
  }
  std::map<std::string, std::string> texts = checkpoint.companions;
  texts[kModelConfigFile] = checkpoint.model_config;
  if (!checkpoint.training_config.empty()) texts[kTrainingConfigFile] = checkpoint.training_config;
  for (const auto& [name, bytes] : texts) {
    atomic_write(folder + "/" + name, bytes);
    state.files[name] = record_of(bytes);
  }
  atomic_write(folder + "/" + Manifest::kFileName, format_manifest(state));
}

}  // namespace

std::string training_config_path(const std::string& folder) {
  std::error_code unknown;
  const std::string path = folder + "/" + kTrainingConfigFile, earlier = folder + "/" + kEarlierConfigFile;
  return !fs::exists(path, unknown) && fs::exists(earlier, unknown) ? earlier : path;
}

std::string model_config_path(const std::string& folder) {
  std::error_code unknown;
  const std::string path = folder + "/" + kModelConfigFile;
  return fs::exists(path, unknown) ? path : training_config_path(folder);
}

std::string read_training_config(const std::string& folder) {
  std::string text = training_config_of(folder, read_state(folder));
  if (text.empty()) fail(ErrorKind::data, "{}: it does not say how it was trained", folder);
  return text;
}

std::optional<std::string> intact_training_config(const std::string& folder) {
  try {
    return read_training_config(folder);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    return std::nullopt;
  }
}

void write_checkpoint(const std::string& folder, const Checkpoint& checkpoint) {
  write_folder(folder, [&](const std::string& temporary) { fill_folder(temporary, checkpoint); });
}

Checkpoint read_checkpoint(const std::string& folder) { return read_parts(folder, Parts::all); }
Checkpoint read_model(const std::string& folder) { return read_parts(folder, Parts::model); }

namespace {

Tensor widened(const Tensor& x) {
  const std::vector<float> values = x.to_vector<float>();
  return Tensor::from(std::vector<double>(values.begin(), values.end()), x.shape());
}

const Tensor& tensor_of(const TensorMap& model, const std::string& name, Shape shape,
                        const std::string& where) {
  const auto found = model.find(name);
  if (found == model.end()) fail(ErrorKind::data, "{}: the model has no {}", where, name);
  if (found->second.shape() != shape) {
    fail(ErrorKind::data, "{}: {} is {}, but the vocabulary and model.toml make it {}", where, name,
         found->second.shape().to_string(), shape.to_string());
  }
  return found->second;
}

void check_is(DType expected, const std::string& name, const Tensor& value, const std::string& where) {
  if (value.dtype() == expected) return;
  fail(ErrorKind::data, "{}: {} is {}, but a parameter is {}; give a model that xformer-train wrote", where,
       name, name_of(value.dtype()), name_of(expected));
}

void load_master(const TensorMap& model, const ParameterStore& store, const Parameter& parameter,
                 const std::string& where) {
  const Tensor& value = tensor_of(model, parameter.name, parameter.shape, where);
  const DType exact = store.masters().dtype();
  const bool widen = value.dtype() == DType::f32 && exact == DType::f64;
  if (!widen) check_is(exact, parameter.name, value, where);
  store.set(parameter, widen ? widened(value) : value);
}

void load_quantized(const TensorMap& model, const Parameter& parameter, const std::string& where) {
  const std::string scale = parameter.name + kScaleSuffix;
  const Tensor &values = tensor_of(model, parameter.name, parameter.shape, where),
               &scales = tensor_of(model, scale, {parameter.shape[0]}, where);
  check_is(DType::i8, parameter.name, values, where);
  check_is(DType::f32, scale, scales, where);
  kernels::pack_weights(values, scales, parameter.quantized);
}

}  // namespace

TensorMap model_of(const ParameterStore& store, const Tensor& masters) {
  TensorMap model;
  for (const Parameter& parameter : store.parameters()) {
    const int64_t end = parameter.begin + parameter.shape.numel();
    model[parameter.name] =
        masters.slice_rows(parameter.begin, end).reshape(parameter.shape).to(Device::cpu());
  }
  return model;
}

TensorMap model_of(const ParameterStore& store) { return model_of(store, store.masters()); }

void check_model(const TensorMap& model, const ParameterStore& store, const std::string& where) {
  for (const Parameter& parameter : store.parameters())
    tensor_of(model, parameter.name, parameter.shape, where);
}

void load_model(const TensorMap& model, const ParameterStore& store, const std::string& where) {
  for (const Parameter& parameter : store.parameters()) {
    parameter.quantized.defined() ? load_quantized(model, parameter, where)
                                  : load_master(model, store, parameter, where);
  }
}

bool is_quantized(const TensorMap& model) {
  return std::ranges::any_of(model, [](const auto& entry) { return entry.second.dtype() == DType::i8; });
}

void check_trainable(const TensorMap& model, const std::string& folder) {
  if (!is_quantized(model)) return;
  fail(ErrorKind::data,
       "{}/{}: its weights are int8 and cannot be trained; give the model before quantization", folder,
       kModelFile);
}

TensorMap quantized(const TensorMap& model, const ParameterStore& store, const std::string& where) {
  TensorMap result;
  for (const Parameter& parameter : store.parameters()) {
    const Tensor& value = tensor_of(model, parameter.name, parameter.shape, where);
    check_is(DType::f32, parameter.name, value, where);
    if (!parameter.is_quantizable()) {
      result[parameter.name] = value;
      continue;
    }
    const Tensor values = Tensor::empty(value.shape(), DType::i8),
                 scales = Tensor::empty({value.rows()}, DType::f32);
    kernels::round_weights(value, values, scales);
    result[parameter.name] = values;
    result[parameter.name + kScaleSuffix] = scales;
  }
  return result;
}

bool is_checkpoint_alone(const std::string& folder) {
  std::error_code unknown;
  if (!fs::is_regular_file(folder + "/" + Manifest::kFileName, unknown)) return false;
  try {
    const Manifest state = read_state(folder);
    return std::ranges::all_of(entries_of(folder), [&](const fs::directory_entry& entry) {
      const std::string name = entry.path().filename().string();
      return name == Manifest::kFileName || state.files.contains(name);
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    return false;
  }
}

int64_t read_update(const std::string& folder) { return read_state(folder).update; }

}  // namespace xf::nn
