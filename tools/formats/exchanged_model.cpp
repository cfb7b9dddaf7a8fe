#include "tools/formats/exchanged_model.h"

#include <fmt/core.h>

#include <algorithm>

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
                           const nn::TransformerConfig& config, uint64_t stored, const std::string& where) {
  nn::ParameterStore store;
  const nn::Transformer model(config, store);
  // A byte has at most one number, and a table may stand for three. What is not stored, such as
  // positions, is small.
  constexpr uint64_t kTimes = 4, kNotStored = uint64_t{1} << 22;
  if (static_cast<uint64_t>(store.count()) / kTimes > stored + kNotStored)
    fail(ErrorKind::data,
         "{}: its settings make it {} numbers, and its weights are {} bytes; copy both again", where,
         store.count(), stored);
  return joined(theirs, parts, store, where);
}

void take_search(ExchangedModel& model, const std::string& path, SearchNumber beams, SearchNumber penalty) {
  constexpr double kMostBeams = 64;
  const double taken = std::clamp(beams.value, 1.0, kMostBeams);
  model.beam_size = static_cast<int64_t>(taken);
  model.normalize = std::max(0.0, penalty.value);
  if (taken != beams.value)
    model.warnings.push_back(
        fmt::format("{}: {} is {}; a search has {} here", path, beams.name, beams.value, model.beam_size));
  if (penalty.value < 0)
    model.warnings.push_back(
        fmt::format("{}: {} is {}; a search has 0 here, without one", path, penalty.name, penalty.value));
}

}  // namespace xf::tools::exchange
