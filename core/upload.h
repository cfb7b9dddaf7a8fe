// Host memory through which data reaches a device while both go on working: two buffers in turn,
// page-locked where the device is CUDA, so that the next batch is put together while the last one
// is still being copied.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "core/device.h"

namespace xf {

class Upload {
 public:
  Upload(Device device, int64_t bytes);

  // The buffer to fill next. Waits only where its last copy, two sends ago, is still under way.
  void* buffer();
  // Queues the copy of that buffer, whole, to device memory.
  void send(void* to);

 private:
  struct Buffer {
    std::shared_ptr<void> memory;
    std::shared_ptr<void> sent;  // a CUDA event
  };
  Device device_;
  int64_t bytes_;
  std::array<Buffer, 2> buffers_;
  size_t next_ = 0;
};

}  // namespace xf
