// The key/value cache of decoding step by step: per layer [C, 3D], the fused projections of every
// position decoded so far, in whatever order the caller numbers them.
#pragma once

#include <vector>

#include "core/arena.h"
#include "nn/transformer_config.h"

namespace xf::nn {

// A cache starts with room for this many positions of each sequence, then doubles.
constexpr int64_t kFirstPositions = 16;

std::vector<Tensor> make_cache(const TransformerConfig& config, Arena& arena, int64_t rows, DType dtype);

// Room in every layer for `used` rows to stay and `rows` in all.
void reserve_cache(std::vector<Tensor>& layers, Arena& arena, int64_t used, int64_t rows);

}  // namespace xf::nn
