// A model that can be differentiated, and the sentence pair to do it on. Computed on the CPU,
// without dropout, so that numbers repeat.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/arena.h"
#include "core/packed_batch.h"
#include "tools/config/program_options.h"
#include "tools/explain/micro_model.h"
#include "tools/formats/loaded_model.h"

namespace xf::tools::explain {

class TrainingPair {
 public:
  // The micro-model with one layer on either side, and its sentence.
  explicit TrainingPair(DType dtype);
  // A trained model, its f32 weights widened where dtype is f64, and two lines of text. Errors as
  // load_model() and ids_of() have them; usage for a sentence over the length the model was trained
  // on.
  TrainingPair(const std::string& model, const std::string& source, const std::string& target, DType dtype);

  // Sum over the target tokens, label smoothing included, without recording.
  double loss() const;
  // One step's forward and backward; adds to the store's gradients. Returns the loss.
  double accumulate(autograd::TapeObserver* observer = nullptr) const;

  const nn::ParameterStore& store() const { return loaded_ ? loaded_->store : micro_->store; }
  const nn::Transformer& transformer() const {
    return loaded_ ? loaded_->transformer() : micro_->transformer;
  }
  const PackedBatch& batch() const { return batch_; }
  // "micro-model with random weights", or its folder; and its size.
  std::string title() const;
  Arena& arena() const { return arena_; }

 private:
  double run(autograd::Tape::Mode mode, autograd::TapeObserver* observer) const;

  std::unique_ptr<LoadedModel> loaded_;  // one of the two
  std::unique_ptr<MicroModel> micro_;
  PackedBatch batch_;
  mutable Arena arena_{Device::cpu()};
};

// As the options model, source and target say. Error usage where only some of them are given.
TrainingPair training_pair(const PairOptions& options, DType dtype);

}  // namespace xf::tools::explain
