// What transformers' MarianMT calls the tensors of a model, and an activation.
#pragma once

#include <optional>
#include <string_view>

#include "nn/transformer_config.h"
#include "tools/formats/tensor_part.h"

namespace xf::tools::exchange {

inline constexpr const char* kHfShared = "model.shared.weight";
inline constexpr const char* kHfSource = "model.encoder.embed_tokens.weight";
inline constexpr const char* kHfTarget = "model.decoder.embed_tokens.weight";
inline constexpr const char* kHfOutput = "lm_head.weight";
inline constexpr const char* kHfBias = "final_logits_bias";  // [1, V]

// Of tensors that are tied the one that is stored.
TensorParts hf_marian_parts(const nn::TransformerConfig& config);

std::optional<kernels::Activation> hf_activation(std::string_view name);

}  // namespace xf::tools::exchange
