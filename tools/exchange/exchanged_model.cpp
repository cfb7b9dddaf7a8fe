#include "tools/exchange/exchanged_model.h"

#include <fmt/core.h>

#include "nn/transformer.h"

namespace xf::tools::exchange {

std::string layer_name(const char* side, int64_t layer) { return fmt::format("{}.layers.{}", side, layer); }

std::string source_table(const nn::TransformerConfig& config) {
  return config.tying == nn::Tying::all ? "embedding.weight" : "source_embedding.weight";
}

std::string target_table(const nn::TransformerConfig& config) {
  return config.tying == nn::Tying::all ? "embedding.weight" : "target_embedding.weight";
}

Tensor sinusoids(const nn::TransformerConfig& config, int64_t rows) {
  const Tensor table = Tensor::empty({rows, config.dim}, DType::f32);
  kernels::sinusoid_positions(config.positions, table);
  return table;
}

nn::TensorMap joined_model(const TheirTensor& theirs, const TensorParts& parts,
                           const nn::TransformerConfig& config, const std::string& where) {
  nn::Registry registry;
  const nn::Transformer model(config, registry);
  return joined(theirs, parts, registry, where);
}

}  // namespace xf::tools::exchange
