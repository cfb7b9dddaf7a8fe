// How another toolkit's tensors make up the engine's. Each of theirs is a range of rows of one of
// ours, whose matrices are [out, in] and fused: queries, keys and values of a self-attention (qkv),
// keys and values of all decoder layers (cross_kv). So one table serves both directions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nn/checkpoint/checkpoint.h"

namespace xf::tools::exchange {

struct TensorPart {
  std::string foreign, ours;  // names
  int64_t begin = 0;          // the first of its rows in ours
  int64_t rows = 0;           // 0: all rows
  bool transposed = false;    // theirs is [in, out]
};

using TensorParts = std::vector<TensorPart>;

// [n, m] of [m, n], f32.
Tensor transposed(const Tensor& matrix);

// Theirs, by name, from ours.
nn::TensorMap split(const nn::TensorMap& ours, const TensorParts& parts);

// A tensor of theirs by its name, f32. They are asked for one after the other, so that no two need
// be in memory.
using TheirTensor = std::function<Tensor(const std::string&)>;

// Ours from theirs, f32. Error data, beginning with `where`, for a tensor of theirs of another
// shape.
nn::TensorMap joined(const TheirTensor& theirs, const TensorParts& parts, const nn::ParameterStore& store,
                     const std::string& where);

}  // namespace xf::tools::exchange
