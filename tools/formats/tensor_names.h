// What other toolkits call the tensors of a model, and an activation.
#pragma once

#include <fmt/core.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "nn/transformer_config.h"
#include "tools/formats/tensor_part.h"

namespace xf::tools::exchange {

// Of tensors that are tied a list of parts has the one that is stored: with CTranslate2
// decoder/embeddings.

inline constexpr const char* kCTranslate2Source = "encoder/embeddings_0/weight";
inline constexpr const char* kCTranslate2Target = "decoder/embeddings/weight";
inline constexpr const char* kCTranslate2Output = "decoder/projection/weight";
inline constexpr const char* kCTranslate2Positions[] = {"encoder/position_encodings/encodings",
                                                        "decoder/position_encodings/encodings"};

// Sinusoids, which are none of ours, are not among them.
TensorParts ctranslate2_parts(const nn::TransformerConfig& config);

// visit(name) for the self-attention of each layer: NAME + "dim", "interleave" and "base" say of
// its rotary positions.
template <typename Visit>
void for_each_ctranslate2_rotary(const nn::TransformerConfig& config, const Visit& visit) {
  for (const auto& [side, layers] :
       {std::pair{"encoder", config.encoder_layers}, std::pair{"decoder", config.decoder_layers}}) {
    for (int64_t l = 0; l < layers; ++l) visit(fmt::format("{}/layer_{}/self_attention/rotary_", side, l));
  }
}

// Of its enumeration of activations: ReLU 0, GELUTanh 1, Swish 2, GELU 3.
int ctranslate2_number(kernels::Activation activation);
std::optional<kernels::Activation> ctranslate2_activation(int number);

inline constexpr const char* kHfShared = "model.shared.weight";
inline constexpr const char* kHfSource = "model.encoder.embed_tokens.weight";
inline constexpr const char* kHfTarget = "model.decoder.embed_tokens.weight";
inline constexpr const char* kHfOutput = "lm_head.weight";
inline constexpr const char* kHfBias = "final_logits_bias";  // [1, V]

// Of transformers' MarianMT.
TensorParts hf_marian_parts(const nn::TransformerConfig& config);
// transformers calls x sigmoid(x) "silu", too; its "gelu" is the exact one.
std::optional<kernels::Activation> hf_activation(std::string_view name);

inline constexpr const char* kMarianShared = "Wemb";
inline constexpr const char* kMarianSource = "encoder_Wemb";
inline constexpr const char* kMarianTarget = "decoder_Wemb";
inline constexpr const char* kMarianOutput = "decoder_ff_logit_out_Wt";  // [V, D]
// [D, V], of earlier versions
inline constexpr const char* kMarianOldOutput = "decoder_ff_logit_out_W";
inline constexpr const char* kMarianBias = "decoder_ff_logit_out_b";  // [1, V]

// Matrices are [in, out] there, y = x W + b, but for tables and the output; vectors are rows.
// Layers count from 1.
TensorParts marian_parts(const nn::TransformerConfig& config);

}  // namespace xf::tools::exchange
