// Sums and copies of the memory of devices, one a rank, without the hosts: what a Collective
// (core/dist/collective.h) does with tensors on a device. Behind it is NCCL
// (core/dist/nccl/nccl_link.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/tensor.h"

namespace xf {

class Collective;

// Tensors are flat: f32, f64, or bf16 where nothing is added. Work is queued on the device's
// stream, and may be captured in a graph (core/graph.h), which must be gone before this object
// goes.
class DeviceLink {
 public:
  virtual ~DeviceLink() = default;

  virtual void sum(const Tensor& values) = 0;
  // Of the pieces that Collective::piece_of() cuts.
  virtual void reduce_scatter(const Tensor& values) = 0;
  virtual void all_gather(const Tensor& values) = 0;

  // What has gone wrong with what is queued; empty: nothing is known.
  virtual std::string failure() = 0;
  // Work that waits for a rank that is lost ends, in whatever state. Nothing but the destructor
  // comes after it.
  virtual void abort() = 0;
};

// Ranks meet on their devices: all of them call it. Error usage where NCCL is not installed, or two
// ranks have one device.
std::unique_ptr<DeviceLink> open_nccl(Collective& ranks, Device device);

// CUDA devices that this process sees; 0 where none can be used.
int cuda_device_count();

}  // namespace xf
