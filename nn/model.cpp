#include "nn/model.h"

#include <algorithm>

#include "nn/classifier.h"
#include "nn/language_model.h"
#include "nn/model_variant.h"
#include "nn/transformer.h"

namespace xf::nn {

namespace {

Tensor counters_of(const Tensor& counters, int64_t side) {
  return counters.defined() ? counters.slice_rows(side, side + 1).reshape({2}) : Tensor();
}

// A table of zeros that is filled on the CPU: fill(table), Acc.
template <typename Fill>
Tensor table_on(Device device, const Shape& shape, DType dtype, const Fill& fill) {
  if (device.type == DeviceType::meta) return Tensor::empty(shape, dtype, device);
  const Tensor table = Tensor::zeros(shape, accumulator_of(dtype));
  fill(table);
  return (dtype == DType::bf16 ? table.to_bf16() : table).to(device);
}

}  // namespace

void Model::bind(Device device) {
  if (config_.learned_positions) return;
  const int64_t length = std::max(kMaxPositions, config_.max_length + 1);
  positions_ = table_on(device, {length, config_.dim}, dtype_, [this](const Tensor& table) {
    if (!config_.rotary_positions) kernels::sinusoid_positions(config_.positions, table);
  });
  if (!config_.rotary_positions) return;
  rotary_table_ = table_on(device, {length, config_.dim / config_.heads}, accumulator_of(dtype_),
                           [](const Tensor& table) { kernels::rotary_table(kRotaryBase, table); });
}

// Training takes one attention path for all batches, so that one captured graph serves them all;
// use takes what the batch needs.
int64_t Model::max_length(const ForwardContext& context, int64_t longest) const {
  if (!context.tape.recording()) return longest;
  XF_CHECK(longest <= config_.max_length, "model: a sentence of {} tokens is over the model's max_length {}",
           longest, config_.max_length);
  return config_.max_length;
}

Tokens Model::source_tokens(const ForwardContext& context, const PackedBatch& batch,
                            const Tensor& counters) const {
  return {batch.source_offsets, max_length(context, batch.longest_source), counters_of(counters, 0),
          rotary(batch.source_positions)};
}

Tokens Model::target_tokens(const ForwardContext& context, const PackedBatch& batch,
                            const Tensor& counters) const {
  return {batch.target_offsets, max_length(context, batch.longest_target), counters_of(counters, 1),
          rotary(batch.target_positions)};
}

int64_t most_tokens(const TransformerConfig& config) {
  return config.learned_positions ? config.max_length : std::max(Model::kMaxPositions, config.max_length);
}

std::unique_ptr<Model> make_model(const TransformerConfig& config, ParameterStore& store) {
  switch (config.type) {
    case ModelType::translation:
      if (config.variant) return config.variant->make(config, store);
      return std::make_unique<Transformer>(config, store);
    case ModelType::language_model: return std::make_unique<LanguageModel>(config, store);
    case ModelType::classification: return std::make_unique<Classifier>(config, store);
  }
  return nullptr;
}

}  // namespace xf::nn
