// What CTranslate2 calls the tensors of a model, and which number it has for an activation.
#pragma once

#include <optional>

#include "nn/transformer_config.h"
#include "tools/exchange/tensor_part.h"

namespace xf::tools::exchange {

inline constexpr const char* kCTranslate2Source = "encoder/embeddings_0/weight";
inline constexpr const char* kCTranslate2Target = "decoder/embeddings/weight";
inline constexpr const char* kCTranslate2Output = "decoder/projection/weight";
inline constexpr const char* kCTranslate2Positions[] = {"encoder/position_encodings/encodings",
                                                        "decoder/position_encodings/encodings"};

// Of tensors that are tied the one that is stored, decoder/embeddings; sinusoids, which are none of ours, are not among them.
TensorParts ctranslate2_parts(const nn::TransformerConfig& config);

int ctranslate2_number(kernels::Activation activation);
std::optional<kernels::Activation> ctranslate2_activation(int number);

}  // namespace xf::tools::exchange
