// Who may attend whom on a padded layout, as i32: 1 = may attend.
#pragma once

#include "core/tensor.h"
#include "tools/tutorials/model/quirks.h"

namespace xf::nn::quirks {

// ids i32 [B, S] -> [B, 1, 1, S], for every head and every query: 0 at padding
Tensor source_mask(const Tensor& ids, int32_t pad);
// queries i32 [B, Sq], keys i32 [B, Sk] -> [B, 1, Sq, Sk], for every head: 0 where either is
// padding
Tensor pair_mask(const Tensor& queries, int32_t query_pad, const Tensor& keys, int32_t key_pad);
// ids i32 [B, T] -> [B, 1, T, T], for every head: 0 in the future, and at padding along the axis
Tensor target_mask(const Tensor& ids, int32_t pad, PadAxis axis);
// -> [1, 1, 1, 1]: every query may attend every key.
Tensor everybody();

// Of the encoder's self-attention, the decoder's, and the cross-attention, as the switches say.
struct Masks {
  Tensor source, target, cross;
};
// source i32 [B, S], target i32 [B, T]
Masks masks_of(const Tensor& source, const Tensor& target, const Config& config);

// A mask of any kind repeated along its axes of extent 1. -> shape
Tensor broadcast(const Tensor& mask, Shape shape);

}  // namespace xf::nn::quirks
