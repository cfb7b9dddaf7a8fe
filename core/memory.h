// Memory of a device, and copies within and between devices. Nothing to do, ever, on
// Device::meta().
//
// Work on a CUDA device is queued on its stream, after everything queued before: a copy to the
// device, a kernel and a copy back come in that order. Only copies to the host wait.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/device.h"

namespace xf::memory {

// Uninitialised; 64-byte aligned on the CPU, 256 on CUDA. Throws ErrorKind::resources.
std::shared_ptr<void> allocate(Device device, int64_t bytes);

// A matrix as bytes: rows of `width` bytes, `pitch` apart.
struct Rows {
  void* data;
  int64_t pitch;
  Device device;
};
void copy(const Rows& to, const Rows& from, int64_t width, int64_t rows);
void zero(void* data, Device device, int64_t bytes);

// Bytes that this process may still take: of the machine, of its control group, of a GPU. Nothing
// where the system does not tell.
std::optional<int64_t> available(Device device);

}  // namespace xf::memory
