#include "core/packed_batch.h"

namespace xf {

PackedBatch PackedBatch::to(Device device) const {
  PackedBatch there = *this;
  for (Tensor* tensor : {&there.source_ids, &there.source_positions, &there.source_order,
                         &there.source_offsets, &there.target_in, &there.target_out, &there.target_positions,
                         &there.target_order, &there.target_offsets}) {
    if (tensor->defined()) *tensor = tensor->to(device);
  }
  return there;
}

}  // namespace xf
