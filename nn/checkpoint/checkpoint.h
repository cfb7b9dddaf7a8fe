// One checkpoint, in memory and as a folder:
//   model.safetensors      the f32 masters of the parameters; of a model in eight bits those that
//                          are left f32, and of the
//                          others NAME i8 [rows, columns] and NAME_scale f32 [rows]
//                          (kernels/quantized_linear.h)
//   optimizer.safetensors  moments; absent in a model that is only translated with
//   model.toml             what the model is, how its text is cut, its defaults for translating
//   training.toml          the effective configuration of its training; absent in a model that was
//                          not trained here.
//                          Earlier versions wrote this one alone, as config.toml
//   vocab.spm ...          of a model that stands alone, what else it needs
//   state.json             nn/checkpoint/manifest.h
// The folder is written as FOLDER.tmp, each file and the folder fsynced, then renamed: it is whole
// or not there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nn/checkpoint/manifest.h"
#include "nn/checkpoint/safetensors.h"
#include "nn/parameter_store.h"

namespace xf::nn {

struct Checkpoint {
  int64_t update = 0;  // how many updates were made
  TensorMap model;
  TensorMap optimizer;
  Metadata metadata;  // strings in the header of model.safetensors, for other readers
  KeyValues state;
  std::string model_config;                       // text of model.toml; "" of earlier versions
  std::string training_config;                    // text of training.toml; "": there is none
  std::map<std::string, std::string> companions;  // other files of the folder, by name; not read
                                                  // back
};

// Where a run or a checkpoint keeps its training's configuration: training.toml, or config.toml of
// an earlier version.
std::string training_config_path(const std::string& folder);
// Where a checkpoint keeps what the model is: model.toml, or of an earlier version as above.
std::string model_config_path(const std::string& folder);

// The training's configuration of a checkpoint, as it was written. Error data: it is missing or
// damaged; intact_training_config() returns nothing then.
std::string read_training_config(const std::string& folder);
std::optional<std::string> intact_training_config(const std::string& folder);

// Writes, or replaces, `folder`. Error resources (disk full, no permission) leaves an earlier one
// as it was.
void write_checkpoint(const std::string& folder, const Checkpoint& checkpoint);

// Everything, or without the optimiser's tensors. Error data names the file that is missing,
// truncated or damaged.
Checkpoint read_checkpoint(const std::string& folder);
Checkpoint read_model(const std::string& folder);

// Whether `folder` holds the files of one checkpoint and nothing besides: to replace it loses
// nothing else.
bool is_checkpoint_alone(const std::string& folder);

// A store's masters as a checkpoint's model, on the CPU, and back; an f64 store takes an f32
// model's values as they are. A store with memory for eight bits takes a model in eight bits, and
// no other one does. Error data, beginning with `where`: a parameter that is missing, of another
// shape or of another dtype.
TensorMap model_of(const ParameterStore& store);
// Of all masters, where the store keeps a piece of them.
TensorMap model_of(const ParameterStore& store, const Tensor& masters);
void load_model(const TensorMap& model, const ParameterStore& store, const std::string& where);
// The same errors for what is missing or of another shape, before the store has memory: a
// configuration of a few bytes can ask for any.
void check_model(const TensorMap& model, const ParameterStore& store, const std::string& where);

constexpr const char* kScaleSuffix = "_scale";

// A model in eight bits, and an f32 model as one (QL1); `store`, which needs no memory, says what
// of it is rounded. Error data, beginning with `where`, as load_model() has it.
bool is_quantized(const TensorMap& model);
// Error data, naming the file of `folder`, for one that no training goes on from: read_checkpoint()
// has it too.
void check_trainable(const TensorMap& model, const std::string& folder);
TensorMap quantized(const TensorMap& model, const ParameterStore& store, const std::string& where);

// How many updates the checkpoint in `folder` has seen, from state.json alone.
int64_t read_update(const std::string& folder);

}  // namespace xf::nn
