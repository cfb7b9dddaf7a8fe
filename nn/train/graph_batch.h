// A batch of constant shape on the device, so that one captured graph serves all batches: as many
// tokens and sentences as a batch may have. Behind the real sentences come empty ones, behind the
// real tokens spare rows, without an id, whose target is ignored: attention gives them 0, the loss
// leaves them out, and so every gradient that they send is 0.
#pragma once

#include "core/packed_batch.h"
#include "core/upload.h"

namespace xf::nn {

class GraphBatch {
 public:
  // capacity: of one reading. Batches are PackedBatch::repeated(readings); the spare rows lie
  // behind the last reading.
  GraphBatch(Device device, const BatchSize& capacity, int64_t readings = 1);

  // On the device; the tensors stay the same, load() changes what is in them.
  const PackedBatch& batch() const { return batch_; }
  // Queues the copy of a batch from the CPU, which must be within the capacity.
  void load(const PackedBatch& batch);

 private:
  BatchSize capacity_;  // of all readings
  int64_t readings_;
  // i32: every array of the batch, one after the other, so that one copy brings them.
  Tensor all_;
  PackedBatch batch_;
  Upload upload_;
};

}  // namespace xf::nn
