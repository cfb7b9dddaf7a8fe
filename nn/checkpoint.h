// One checkpoint, in memory and as a folder:
//   model.safetensors      the f32 masters of the parameters
//   optimizer.safetensors  moments; absent in a model that is only translated with
//   config.toml            the effective configuration
//   vocab.spm ...          of a model that stands alone, what else it needs
//   state.json             where training stood, and size and CRC-64 of each of the files above
// The folder is written as FOLDER.tmp, each file and the folder fsynced, then renamed: it is whole or not
// there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "nn/registry.h"
#include "nn/safetensors.h"

namespace xf::nn {

// Where training stands, under keys of the trainer's choice. Strings are UTF-8. Doubles come back with the
// same bits (a NaN as a NaN).
class State {
 public:
  using Value = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                             std::vector<std::string>>;

  void set(const std::string& key, Value value) { values_[key] = std::move(value); }
  bool has(const std::string& key) const { return values_.count(key) != 0; }
  // Error data, naming the key, if it is missing or not a T. T is one of Value's types.
  template <typename T>
  T get(const std::string& key) const;

  const std::map<std::string, Value>& values() const { return values_; }
  friend bool operator==(const State&, const State&) = default;

 private:
  std::map<std::string, Value> values_;
};

struct Checkpoint {
  int64_t update = 0;  // how many updates were made
  TensorMap model;
  TensorMap optimizer;
  Metadata metadata;  // strings in the header of model.safetensors, for other readers
  State state;
  std::string config;                             // text of config.toml
  std::map<std::string, std::string> companions;  // other files of the folder, by name; not read back
};

// Writes, or replaces, `folder`. Error resources (disk full, no permission) leaves an earlier one as it was.
void write_checkpoint(const std::string& folder, const Checkpoint& checkpoint);

// Everything, or without the optimiser's tensors. Error data names the file that is missing, truncated or
// damaged.
Checkpoint read_checkpoint(const std::string& folder);
Checkpoint read_model(const std::string& folder);

// Whether `folder` holds the files of one checkpoint and nothing besides: to replace it loses nothing else.
bool is_checkpoint_alone(const std::string& folder);

// A registry's masters as a checkpoint's model, on the CPU, and back; an f64 registry takes an f32 model's values as they
// are. Error data, beginning with `where`: a parameter that is missing or of another shape.
TensorMap model_of(const Registry& registry);
void load_model(const TensorMap& model, const Registry& registry, const std::string& where);

// How many updates the checkpoint in `folder` has seen, from state.json alone.
int64_t read_update(const std::string& folder);

}  // namespace xf::nn
