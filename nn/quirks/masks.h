// Who may attend whom on a padded layout, as i32: 1 = may attend.
#pragma once

#include "core/tensor.h"
#include "nn/quirks/quirks.h"

namespace xf::nn::quirks {

// ids i32 [B, S] -> [B, 1, 1, S], for every head and every query: 0 at padding
Tensor source_mask(const Tensor& ids, int32_t pad);
// ids i32 [B, T] -> [B, 1, T, T], for every head: 0 in the future, and at padding along the axis
Tensor target_mask(const Tensor& ids, int32_t pad, PadAxis axis);
// A mask of either kind repeated along its axes of extent 1. -> shape
Tensor broadcast(const Tensor& mask, Shape shape);

}  // namespace xf::nn::quirks
