// What CTranslate2 calls the tensors of a model, and which number it has for an activation.
#pragma once

#include <fmt/core.h>

#include <optional>
#include <string>
#include <utility>

#include "nn/transformer_config.h"
#include "tools/formats/tensor_part.h"

namespace xf::tools::exchange {

inline constexpr const char* kCTranslate2Source = "encoder/embeddings_0/weight";
inline constexpr const char* kCTranslate2Target = "decoder/embeddings/weight";
inline constexpr const char* kCTranslate2Output = "decoder/projection/weight";
inline constexpr const char* kCTranslate2Positions[] = {"encoder/position_encodings/encodings",
                                                        "decoder/position_encodings/encodings"};

// Of tensors that are tied the one that is stored, decoder/embeddings; sinusoids, which are none of ours, are not among them.
TensorParts ctranslate2_parts(const nn::TransformerConfig& config);

// visit(name) for the self-attention of each layer: NAME + "dim", "interleave" and "base" say of its rotary positions.
template <typename Visit>
void for_each_ctranslate2_rotary(const nn::TransformerConfig& config, const Visit& visit) {
  for (const auto& [side, layers] :
       {std::pair{"encoder", config.encoder_layers}, std::pair{"decoder", config.decoder_layers}}) {
    for (int64_t l = 0; l < layers; ++l) visit(fmt::format("{}/layer_{}/self_attention/rotary_", side, l));
  }
}

int ctranslate2_number(kernels::Activation activation);
std::optional<kernels::Activation> ctranslate2_activation(int number);

}  // namespace xf::tools::exchange
