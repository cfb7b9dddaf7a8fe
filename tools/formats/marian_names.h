// What Marian calls the tensors of a model.
#pragma once

#include "nn/transformer_config.h"
#include "tools/formats/tensor_part.h"

namespace xf::tools::exchange {

inline constexpr const char* kMarianShared = "Wemb";
inline constexpr const char* kMarianSource = "encoder_Wemb";
inline constexpr const char* kMarianTarget = "decoder_Wemb";
inline constexpr const char* kMarianOutput = "decoder_ff_logit_out_Wt";    // [V, D]
inline constexpr const char* kMarianOldOutput = "decoder_ff_logit_out_W";  // [D, V], of earlier versions
inline constexpr const char* kMarianBias = "decoder_ff_logit_out_b";       // [1, V]

// Matrices are [in, out] there, y = x W + b, but for tables and the output; vectors are rows. Layers count from 1.
TensorParts marian_parts(const nn::TransformerConfig& config);

}  // namespace xf::tools::exchange
