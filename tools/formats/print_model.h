// A model in words: its layers, exact parameter count, memory plan.
#pragma once

#include <string>

#include "nn/parameter_store.h"
#include "nn/train/memory_plan.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// What groups a parameter in tables: encoder.layers.0.self_attention, output.
std::string block_of(const std::string& parameter);

// "model: 2,621,584 parameters · 4+4 layers · ..."
std::string model_line(const nn::TransformerConfig& config, const nn::ParameterStore& store);
// "memory: 42 MB parameters, gradients and moments + 310 MB activations of a batch of 8,000 target
// tokens"
std::string memory_line(const nn::MemoryPlan& plan, int64_t target_tokens);

// --print-model: the table, from options alone. The vocabulary sizes are those of --vocab-sizes or
// of --vocabs.
std::string print_model(const TrainingOptions& options);

}  // namespace xf::tools
