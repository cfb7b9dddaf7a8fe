// What training will need, measured before any of it is taken: one step of the largest batch on
// Device::meta().
#pragma once

#include "core/packed_batch.h"
#include "nn/train/learning_rates.h"
#include "nn/train/optimizer.h"
#include "nn/transformer_config.h"

namespace xf::nn {

struct MemoryPlan {
  int64_t parameters = 0;  // bytes of the masters, and of the rounded values where they differ
  int64_t gradients = 0;   // bytes
  int64_t moments = 0;     // bytes of the optimiser's
  // Bytes: the arena's peak over forward and backward of the largest batch. 0 for models with
  // quirks: what they need depends on the batch's lengths, and the arena grows.
  int64_t activations = 0;
  int64_t total() const { return parameters + gradients + moments + activations; }
};

// On a device of that type.
MemoryPlan plan_memory(const TransformerConfig& config, const BatchSize& largest, DType dtype = DType::f32,
                       const OptimizerOptions& optimizer = {}, DeviceType device = DeviceType::cpu,
                       const std::vector<RateRule>& rates = {});

}  // namespace xf::nn
