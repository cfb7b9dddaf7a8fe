// Where a training that diverged went wrong, for its report.
#pragma once

#include <optional>
#include <string>

#include "core/arena.h"
#include "nn/model.h"

namespace xf::nn {

// The first value of a training pass over `batch` that is not finite, in words: a weight ("the
// weights encoder.layers.1.self_attention.out.weight"), else what a block computes forward, else a
// gradient, of those the one nearest to the loss. Nothing if all are finite. counters: as
// Model::loss takes them. `store` has gradients; they are left zeroed.
std::optional<std::string> first_bad_value(const Model& model, const ParameterStore& store, Arena& arena,
                                           const PackedBatch& batch, const Tensor& counters, uint64_t seed);

}  // namespace xf::nn
