// What a trainer needs of a model: the loss of a batch. And what all models have: their sizes, the
// position table, the rule for how long their sentences are.
#pragma once

#include <memory>

#include "core/packed_batch.h"
#include "nn/forward_context.h"
#include "nn/transformer_config.h"

namespace xf::nn {

class Model {
 public:
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const TransformerConfig& config() const { return config_; }
  DType dtype() const { return dtype_; }  // of activations

  // Call once after store.allocate(): the tables that are computed, not learnt.
  virtual void bind(Device device);
  // The initial values of the parameters; the store is the constructor's.
  virtual void initialise(ParameterStore& store, uint64_t seed) const { store.initialise(seed); }

  // Sum of the losses of the batch's target tokens; loss [2] as in Output::loss.
  // counters i32 [2, 2] {source, target}: what Tokens::counter says; undefined without dropout.
  virtual Variable loss(ForwardContext& context, const PackedBatch& batch, const Tensor& counters,
                        const Tensor& loss) const = 0;

  // A table of sinusoids has as many rows, or more where training needs them.
  static constexpr int64_t kMaxPositions = 2048;
  static constexpr double kRotaryBase = 10000;  // of all published models; RO0

 protected:
  // Error usage for sizes that make no model of its type.
  Model(const TransformerConfig& config, const ParameterStore& store)
      : config_(checked(config)), dtype_(store.dtype()) {}

  const Tensor& position_table() const {
    return positions_;
  }  // [P, D], of sinusoids, of zeros where positions are rotary; undefined where they are learnt
  Rotary rotary(const Tensor& positions) const { return {positions, rotary_table_}; }
  Tokens source_tokens(const ForwardContext& context, const PackedBatch& batch, const Tensor& counters) const;
  Tokens target_tokens(const ForwardContext& context, const PackedBatch& batch, const Tensor& counters) const;

 private:
  int64_t max_length(const ForwardContext& context, int64_t longest) const;

  TransformerConfig config_;
  DType dtype_;
  Tensor positions_, rotary_table_;
};

// How long a sentence may be when a model of these sizes is used, in tokens with </s> or <s>: its
// position table ends there. Sinusoids reach beyond what was trained on; learnt positions do not.
int64_t most_tokens(const TransformerConfig& config);

// An encoder-decoder, config.variant's where there is one, a language model or a classifier, as
// config.type says.
std::unique_ptr<Model> make_model(const TransformerConfig& config, ParameterStore& store);

}  // namespace xf::nn
